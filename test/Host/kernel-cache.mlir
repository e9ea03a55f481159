// Machine code of kernels is kept for the next build, for each target: the bundle is the same with and without a cache.
// RUN: rm -rf %t && mkdir %t
// RUN: ane-compile %s -o %t/none.anebundle --host=x86_64-unknown-linux-gnu:x86-64-v3 --quiet
// RUN: ane-compile %s -o %t/cold.anebundle --host=x86_64-unknown-linux-gnu:x86-64-v3 --kernel-cache=%t/new/cache 2>&1 | FileCheck %s --check-prefix=COLD
// RUN: ane-compile %s -o %t/warm.anebundle --host=x86_64-unknown-linux-gnu:x86-64-v3 --kernel-cache=%t/new/cache 2>&1 | FileCheck %s --check-prefix=WARM
// RUN: ane-compile %s -o %t/two.anebundle --host=x86_64-unknown-linux-gnu --kernel-cache=%t/new/cache 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: kernels from {{.*}}cache: 1
// COLD: kernels from {{.*}}cache: 0
// WARM: kernels from {{.*}}cache: 2

// Kernels that a changed model has in common with the old one are taken, too.
// RUN: sed 's/  *return %%1 : \(.*\)/%%2 = ane.sigmoid %%1 : \1\nreturn %%2 : \1/' %s > %t/changed.mlir
// RUN: ane-compile %t/changed.mlir -o %t/changed.anebundle --host=x86_64-unknown-linux-gnu:x86-64-v3 --kernel-cache=%t/new/cache 2>&1 | FileCheck %s --check-prefix=CHANGED
// CHANGED: kernels from {{.*}}cache: 1

// What is damaged or cut is compiled again, and a folder that takes nothing fails no build.
// RUN: bash -c 'for file in %t/new/cache/*; do printf x >> $file; done'
// RUN: ane-compile %s -o %t/damaged.anebundle --host=x86_64-unknown-linux-gnu:x86-64-v3 --kernel-cache=%t/new/cache 2>&1 | FileCheck %s --check-prefix=COLD
// RUN: bash -c 'for file in %t/new/cache/*; do printf x > $file; done'
// RUN: ane-compile %s -o %t/cut.anebundle --host=x86_64-unknown-linux-gnu:x86-64-v3 --kernel-cache=%t/new/cache 2>&1 | FileCheck %s --check-prefix=COLD
// RUN: ane-compile %s -o %t/proc.anebundle --host=x86_64-unknown-linux-gnu:x86-64-v3 --kernel-cache=/proc/self 2>&1 | FileCheck %s --check-prefix=COLD-PROC
// COLD-PROC: kernels from /proc/self: 0
// RUN: bash -c 'for name in cold warm damaged cut proc; do diff -r %t/none.anebundle %t/$name.anebundle || exit 1; done'

// What is no file is not read, and neither a file nor the bundle itself can be the folder.
// RUN: bash -c 'for file in %t/new/cache/*; do rm $file && mkfifo $file; done'
// RUN: ane-compile %s -o %t/fifo.anebundle --host=x86_64-unknown-linux-gnu:x86-64-v3 --kernel-cache=%t/new/cache 2>&1 | FileCheck %s --check-prefix=COLD
// RUN: not ane-compile %s -o %t/x.anebundle --host=x86_64-unknown-linux-gnu:x86-64-v3 --kernel-cache=%s 2>&1 | FileCheck %s --check-prefix=NOTDIR
// RUN: not ane-compile %s -o %t/x.anebundle --host=x86_64-unknown-linux-gnu:x86-64-v3 --kernel-cache=%t/x.anebundle 2>&1 | FileCheck %s --check-prefix=INSIDE
// RUN: test ! -e %t/x.anebundle
// INSIDE: error: --kernel-cache={{.*}}x.anebundle is inside the bundle, which is written anew: choose another place
// RUN: not ane-compile %s -o %t/x.anebundle --host=x86_64-unknown-linux-gnu:x86-64-v3 --kernel-cache=/dev/null/cache 2>&1 | FileCheck %s --check-prefix=NOTDIR
// NOTDIR: error: --kernel-cache={{.*}}: can't make the folder: Not a directory; name one that can be written
func.func @main(%x: tensor<1x192x64xf32>) -> tensor<1x192x80xf32> {
  %a = ane.const dense<0.5> : tensor<80x64xf32>
  %0 = ane.linear %x, %a : (tensor<1x192x64xf32>, tensor<80x64xf32>) -> tensor<1x192x80xf32>
  %1 = ane.softmax %0 {axis = -1 : i64} : tensor<1x192x80xf32>
  return %1 : tensor<1x192x80xf32>
}
