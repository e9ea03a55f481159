// swift-tools-version:5.9
// Anemone's C API for Swift: `import Anemone`.
import PackageDescription

let package = Package(
  name: "Anemone",
  platforms: [.macOS(.v14)],
  products: [.library(name: "Anemone", targets: ["Anemone"])],
  targets: [.binaryTarget(name: "Anemone", path: "Anemone.xcframework")]
)
