import { expect, test } from 'vitest'
import { counted } from './counted.ts'

test.for([
  { count: 0, text: '0 pods' },
  { count: 1, text: '1 pod' },
  { count: 2, text: '2 pods' },
])('says $text', ({ count, text }) => {
  expect(counted(count, 'pod')).toBe(text)
})
