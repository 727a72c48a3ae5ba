import type { Fix } from '@berth/fit-engine'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { hostile, runSuggestions } from '../../test/hostile-names.ts'
import { fixRecipe } from './fix-commands.ts'
import type { FixTarget } from './recipes/fix-recipe.ts'

const target: fc.Arbitrary<FixTarget> = fc
  .record({
    name: hostile,
    namespace: hostile,
    container: hostile,
    resourceName: hostile,
    file: fc.option(hostile, { nil: undefined }),
    workload: fc.option(fc.record({ apiVersion: hostile, kind: hostile, name: hostile }), { nil: undefined }),
  })
  .map(({ name, namespace, container, resourceName, file, workload }) => ({
    pod: {
      metadata: { name, namespace },
      spec: { containers: [{ name: container, resources: { requests: { [resourceName]: '2' } } }] },
    },
    file,
    workload,
    nodeOf: () => undefined,
  }))

const kinds = [
  'lower-request',
  'evict',
  'add-capacity',
  'tolerate',
  'remove-taint',
  'uncordon',
  'add-label',
  'relax-rule',
] as const satisfies readonly Fix['kind'][]

function fixOf(kind: Fix['kind'], { pod }: FixTarget, node: string): Fix {
  const base = { cost: 1, sentence: '', verified: true, node } as const
  const { name = '', namespace = '' } = pod.metadata
  const resourceName = Object.keys(pod.spec.containers[0]?.resources?.requests ?? {})[0] ?? ''
  switch (kind) {
    case 'lower-request':
      return { ...base, kind, changes: [{ resourceName, from: 2n, to: 1n }] }
    case 'evict':
      return { ...base, kind, pods: [{ namespace, name, uid: '1', priority: 0 }] }
    case 'add-capacity':
      return { ...base, kind, additions: [{ resourceName, amount: 1n }] }
    case 'tolerate':
      return { ...base, kind, tolerations: [{ key: name, value: namespace, effect: 'NoSchedule' }] }
    case 'remove-taint':
      return { ...base, kind, taints: [{ key: resourceName, value: name, effect: 'NoExecute' }] }
    case 'uncordon':
      return { ...base, kind }
    case 'add-label':
      return { ...base, kind, labels: { [resourceName]: name } }
    case 'relax-rule':
      return { ...base, kind, field: `spec.nodeSelector["${name}"]`, value: undefined }
  }
}

test('a real shell runs nothing but kubectl and sed, whatever the objects are named', () => {
  const run = runSuggestions(
    fc.tuple(fc.constantFrom(...kinds), target, hostile),
    ([kind, given, node]) => fixRecipe(fixOf(kind, given, node), given).commands,
  )
  expect(run.length).toBeGreaterThan(20)
})
