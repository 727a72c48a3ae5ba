import { createMatrixObject, explainMatrix, schedulerSentence } from '@berth/testing'
import { describe, expect, test } from 'vitest'
import { testCluster, type TestCluster } from './test-cluster.ts'

const line = (text: string): string => text.replaceAll(/\s+/g, ' ')

test('the matrix has at least 60 causes with different names', () => {
  expect(explainMatrix.length).toBeGreaterThanOrEqual(60)
  expect(new Set(explainMatrix.map(({ name }) => name)).size).toBe(explainMatrix.length)
})

// e2e/scenarios/api-server/explain-matrix.test.ts compares the same cases with a real kube-scheduler.
describe('explain names the cause and the fix', () => {
  test.for(explainMatrix)('$name', async (one) => {
    const cluster: TestCluster = testCluster()
    for (const object of [...one.nodes, ...one.objects, one.pod]) await createMatrixObject(cluster.client, object)
    const text = line(await cluster.run('explain', 'pod', one.name, '-o', 'wide'))
    for (const expected of [...one.causes, ...one.fixes]) expect(text).toContain(expected)
    expect(text).toContain(schedulerSentence(one))
  })
})
