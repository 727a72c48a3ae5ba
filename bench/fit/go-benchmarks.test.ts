import { expect, test } from 'vitest'
import { parseGoBenchmarks } from './go-benchmarks.ts'

const output = `goos: linux
BenchmarkFitFilter                    20           1234567 ns/op               246.9 ns/node
BenchmarkFitFilter                    20           2000000 ns/op               400.0 ns/node         0 B/op          0 allocs/op
BenchmarkTopologyPass/DoNotSchedule-2  20  21000000 ns/op  4200 ns/node
BenchmarkFilterAndScorePass-2         20          13500000.5 ns/op            2700 ns/node
PASS
ok      berth.dev/oracle        12.345s
`

test('returns one sample per run, in microseconds', () => {
  expect([...parseGoBenchmarks(output)]).toEqual([
    ['FitFilter', [1234.567, 2000]],
    ['TopologyPass/DoNotSchedule', [21_000]],
    ['FilterAndScorePass', [13_500.0005]],
  ])
})

test('returns no samples for output without benchmarks', () => {
  expect(parseGoBenchmarks('FAIL').size).toBe(0)
})
