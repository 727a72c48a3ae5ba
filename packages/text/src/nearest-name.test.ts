import { expect, test } from 'vitest'
import { nearestName } from './nearest-name.ts'

test.for([
  { text: 'resorces', names: ['resources', 'sources'], nearest: 'resources' },
  { text: 'KUBEAPIQPS', names: ['kubeApiQps'], nearest: 'kubeApiQps' },
  { text: 'once', names: ['config', 'listen'], nearest: undefined },
  { text: 'zz', names: ['a', 'b'], nearest: undefined },
  { text: 'x', names: [], nearest: undefined },
  { text: 'pods', names: ['po'], nearest: undefined },
  { text: 'on', names: ['no'], nearest: undefined },
  { text: 'nodse', names: ['nodes'], nearest: 'nodes' },
])('suggests $nearest for "$text"', ({ text, names, nearest }) => {
  expect(nearestName(text, names)).toBe(nearest)
})
