import { describe, expect, test } from 'vitest'
import { sumMetric } from './start-app.ts'

const text = `# HELP calls_total Calls.
calls_total{verb="filter",result="ok"} 3
calls_total{verb="filter",result="error"} 1
calls_total{verb="prioritize",result="ok"} 5
calls_total_other 9
up 1
`

describe('sumMetric', () => {
  test.for([
    { it: 'sums all series of a metric', name: 'calls_total', labels: {}, sum: 9 },
    { it: 'sums only the series with the labels', name: 'calls_total', labels: { verb: 'filter' }, sum: 4 },
    { it: 'reads a metric without labels', name: 'up', labels: {}, sum: 1 },
    { it: 'returns 0 for an unknown name', name: 'down', labels: {}, sum: 0 },
  ])('$it', ({ name, labels, sum }) => {
    expect(sumMetric(text, name, { ...labels })).toBe(sum)
  })
})
