"""A module with as many programs without weights as the first argument says."""
import sys

print('module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, '
      'strictness = catalog>} {')
for i in range(int(sys.argv[1])):
    print(f"""  ane.program @main_{i} {{
    func.func @main(%x: tensor<64xf16>) -> tensor<64xf16> {{
      %0 = ane.relu %x : tensor<64xf16>
      return %0 : tensor<64xf16>
    }}
  }}""")
print("}")
