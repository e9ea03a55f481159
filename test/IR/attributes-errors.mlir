// Attributes of the dialect that it does not declare, of another type, or elsewhere.
// RUN: ane-opt %s -split-input-file -verify-diagnostics

func.func @f(%x: tensor<4xf16>) {
  // expected-error @+1 {{has the attribute "ane.hots", which is none of ane.adapters, ane.hugging_face, ane.batch_statistics, ane.bucket, ane.bucket_axes, ane.check, ane.configuration, ane.cut, ane.decides, ane.declined, ane.from, ane.holds, ane.host}}
  %0 = ane.relu %x {ane.hots = #ane.host<"C16", "why">} : tensor<4xf16>
  return
}

// -----

// expected-error @+1 {{'builtin.module' op has the attribute "ane.versoin"}}
module attributes {ane.versoin = 1 : i64} {
}

// -----

// expected-error @+1 {{has at argument 1 the attribute "ane.typo"}}
func.func @f(%x: tensor<4xf16>, %y: tensor<4xf16> {ane.typo}) {
  return
}

// -----

// expected-error @+1 {{has at result 0 the attribute "ane.typo"}}
func.func @f(%x: tensor<4xf16>) -> (tensor<4xf16> {ane.typo}) {
  return %x : tensor<4xf16>
}

// -----

func.func @f(%x: tensor<4xf16>) {
  // expected-error @+1 {{has ane.host = "C16": why the op runs on the CPU must be #ane.host}}
  %0 = ane.relu %x {ane.host = "C16"} : tensor<4xf16>
  return
}

// -----

func.func @f(%x: tensor<4xf16>) {
  // expected-error @+1 {{has ane.from = [0]: the places in the twin of the ops that the op stands for must be array<i64>}}
  %0 = ane.relu %x {ane.from = [0]} : tensor<4xf16>
  return
}

// -----

func.func @f(%x: tensor<4xf16>) {
  // expected-error @+1 {{has ane.name = ["a", 1]: the names of results in MIL text must be a string, or a list of one for each result}}
  %0 = ane.relu %x {ane.name = ["a", 1 : i64]} : tensor<4xf16>
  return
}

// -----

// expected-error @+1 {{has at argument 0 ane.name = ["a"]: the name of an argument or result in MIL text must be a string}}
func.func @f(%x: tensor<4xf16> {ane.name = ["a"]}) {
  return
}

// -----

// expected-error @+1 {{has at argument 0 ane.range = {min = 0 : i64}: what an input may hold, and the node that wants it must be a dictionary of integers min and max and a string reader}}
func.func @f(%x: tensor<4xi32> {ane.range = {min = 0 : i64}}) {
  return
}

// -----

// expected-error @+1 {{has ane.bucket = {name = "f"}: the size of the dimension that the function is for must be a dictionary of strings name and dimension}}
func.func @f() attributes {ane.bucket = {name = "f"}} {
  return
}

// -----

// expected-error @+1 {{has ane.role = "main": what a function is for since islands were outlined must be "plan", "twin" or "host"}}
func.func @f() attributes {ane.role = "main"} {
  return
}

// -----

// expected-error @+1 {{has ane.prefer = "size": what is preferred where accuracy costs time must be "speed"}}
module attributes {ane.prefer = "size"} {
}

// -----

// expected-error @+1 {{has ane.keep = "C04": rules that strictness = evidence does not lift, and disputed ones must be a list of strings}}
module attributes {ane.keep = "C04"} {
}

// -----

func.func @f() {
  // expected-error @+1 {{has ane.sources = [1]: the weights that a small constant was made of must be a list of #ane.weight}}
  %0 = ane.const {ane.sources = [1]} dense<1.0> : tensor<f16>
  return
}

// -----

// expected-error @+1 {{can't have ane.host (why the op runs on the CPU), which is for other ops}}
func.func @f() attributes {ane.host = #ane.host<"C16", "why">} {
  return
}

// -----

func.func @f(%x: tensor<4xf16>) {
  // expected-error @+1 {{can't have ane.io_name (the name of an input, output or state in the model), which is for arguments and results of functions and states}}
  %0 = ane.relu %x {ane.io_name = "x"} : tensor<4xf16>
  return
}

// -----

// expected-error @+1 {{can't have at argument 0 ane.from}}
func.func @f(%x: tensor<4xf16> {ane.from = array<i64: 0>}) {
  return
}

// -----

// expected-error @+1 {{can't have at result 0 ane.range}}
func.func @f(%x: tensor<4xf16>) -> (tensor<4xf16> {ane.range = {max = 3 : i64, min = 0 : i64, reader = "gather"}}) {
  return %x : tensor<4xf16>
}

// -----

// expected-error @+1 {{can't have ane.target (the machine that programs are compiled for), which is for modules}}
ane.program @p attributes {ane.target = #ane.target<chip = "h13", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<4xf16>) -> tensor<4xf16> {
    return %x : tensor<4xf16>
  }
}

// -----

// expected-error @+1 {{what must hold of an input, or the CPU computes the run must be a list of dictionaries of f64 low and high, in order, and a unit exact}}
func.func @f(%x: tensor<4xf16> {ane.holds = []}) {
  return
}

// -----

// expected-error @+1 {{what must hold of an input, or the CPU computes the run must be a list of dictionaries of f64 low and high, in order, and a unit exact}}
func.func @f(%x: tensor<4xf16> {ane.holds = {exact}}) {
  return
}

// -----

// expected-error @+1 {{what must hold of an input, or the CPU computes the run must be a list of dictionaries of f64 low and high, in order, and a unit exact}}
func.func @f(%x: tensor<4xf16> {ane.holds = [{}]}) {
  return
}

// -----

// expected-error @+1 {{what must hold of an input, or the CPU computes the run must be a list of dictionaries of f64 low and high, in order, and a unit exact}}
func.func @f(%x: tensor<4xf16> {ane.holds = [{low = 1.0 : f32}]}) {
  return
}

// -----

// expected-error @+1 {{what must hold of an input, or the CPU computes the run must be a list of dictionaries of f64 low and high, in order, and a unit exact}}
func.func @f(%x: tensor<4xf16> {ane.holds = [{low = 1 : i64}]}) {
  return
}

// -----

// expected-error @+1 {{what must hold of an input, or the CPU computes the run must be a list of dictionaries of f64 low and high, in order, and a unit exact}}
func.func @f(%x: tensor<4xf16> {ane.holds = [{exact = true}]}) {
  return
}

// -----

// expected-error @+1 {{what must hold of an input, or the CPU computes the run must be a list of dictionaries of f64 low and high, in order, and a unit exact}}
func.func @f(%x: tensor<4xf16> {ane.holds = [{least = 1.0 : f64}]}) {
  return
}

// -----

// expected-error @+1 {{what must hold of an input, or the CPU computes the run must be a list of dictionaries of f64 low and high, in order, and a unit exact}}
func.func @f(%x: tensor<4xf16> {ane.holds = [{high = 0x7FF0000000000000 : f64}]}) {
  return
}

// -----

// expected-error @+1 {{what must hold of an input, or the CPU computes the run must be a list of dictionaries of f64 low and high, in order, and a unit exact}}
func.func @f(%x: tensor<4xf16> {ane.holds = [{low = 2.0 : f64, high = 1.0 : f64}]}) {
  return
}
