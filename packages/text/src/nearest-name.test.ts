import { expect, test } from 'vitest'
import { nearestName } from './nearest-name.ts'

test.for([
  { text: 'resorces', names: ['resources', 'sources'], nearest: 'resources' },
  { text: 'KUBEAPIQPS', names: ['kubeApiQps'], nearest: 'kubeApiQps' },
  { text: 'once', names: ['config', 'listen'], nearest: undefined },
  { text: 'zz', names: ['a', 'b'], nearest: undefined },
  { text: 'x', names: [], nearest: undefined },
])('suggests $nearest for "$text"', ({ text, names, nearest }) => {
  expect(nearestName(text, names)).toBe(nearest)
})
