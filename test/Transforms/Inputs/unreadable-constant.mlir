module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @p {
    func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
      %c = ane.const #ane.weight<"missing.bin", 0, 8> : tensor<2xi32>
      %one = ane.const dense<3> : tensor<i32>
      %d = ane.floor_div %c, %one : tensor<2xi32>, tensor<i32>
      %0 = ane.add %x, %d : tensor<2xi32>, tensor<2xi32>
      return %0 : tensor<2xi32>
    }
  }
}
