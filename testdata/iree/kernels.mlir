func.func @scores(%left: tensor<128x64xf16>, %right: tensor<64x128xf16>) -> tensor<128x128xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<128x128xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<128x128xf32>) -> tensor<128x128xf32>
  %product = linalg.matmul ins(%left, %right : tensor<128x64xf16>, tensor<64x128xf16>) outs(%start : tensor<128x128xf32>) -> tensor<128x128xf32>
  return %product : tensor<128x128xf32>
}

func.func @activate(%input: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<512x512xf32>
  %result = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%input : tensor<512x512xf32>) outs(%empty : tensor<512x512xf32>) {
  ^bb0(%x: f32, %unused: f32):
    %y = arith.maximumf %x, %zero : f32
    linalg.yield %y : f32
  } -> tensor<512x512xf32>
  return %result : tensor<512x512xf32>
}
