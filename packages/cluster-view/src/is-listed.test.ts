import { expect, test } from 'vitest'
import { isListed } from './is-listed.ts'

test.for([
  { forbidden: [], namespace: 'lab', isComplete: true },
  { forbidden: [], namespace: undefined, isComplete: true },
  { forbidden: ['pods'], namespace: 'default', isComplete: false },
  { forbidden: ['pods (other namespaces)'], namespace: 'default', isComplete: true },
  { forbidden: ['pods (other namespaces)'], namespace: 'lab', isComplete: false },
  { forbidden: ['pods (other namespaces)'], namespace: undefined, isComplete: false },
  { forbidden: ['nodes'], namespace: undefined, isComplete: true },
])('with $forbidden forbidden, the pods of $namespace are complete: $isComplete', (one) => {
  const { forbidden, namespace, isComplete } = one
  expect(isListed({ forbidden, fallbackNamespace: 'default' }, 'pods', namespace)).toBe(isComplete)
})
