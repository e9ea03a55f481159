// RUN: ane-opt %s --ane-verify-legal="emittable=true only=C200"
// RUN: sed s/in_memory/e5rt/ %S/Inputs/one.mlir | ane-opt --ane-verify-legal="emittable=true only=C200"

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @bank_0 {
    func.func @p0(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p1(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p2(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p3(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p4(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p5(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p6(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p7(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p8(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p9(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p10(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p11(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p12(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p13(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p14(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p15(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p16(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p17(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p18(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p19(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p20(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p21(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p22(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p23(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p24(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p25(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p26(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p27(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p28(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p29(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p30(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p31(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p32(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p33(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p34(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p35(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p36(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p37(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p38(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p39(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p40(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p41(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p42(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p43(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p44(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p45(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p46(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p47(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p48(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p49(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p50(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p51(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p52(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p53(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p54(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p55(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p56(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p57(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p58(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p59(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p60(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p61(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p62(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p63(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p64(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p65(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p66(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p67(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p68(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p69(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p70(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p71(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p72(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p73(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p74(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p75(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p76(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p77(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p78(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p79(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p80(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p81(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p82(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p83(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p84(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p85(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p86(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p87(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p88(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p89(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p90(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p91(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p92(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p93(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p94(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p95(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p96(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p97(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p98(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p99(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p100(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p101(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p102(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p103(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p104(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p105(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p106(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p107(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p108(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p109(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p110(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @p111(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
  }
}
