import { runResourceSource } from '@berth/plugin-api/testing'
import { describe, expect, test } from 'vitest'
import { node, samples } from '../test/sample.ts'
import { plugin } from './index.ts'

const sample = samples['example-annotation']
const args = { annotation: 'example.com/seats' }

test('it passes the contract checks', async () => {
  expect(await runResourceSource(plugin, sample)).toMatchObject([{ units: 12n }, { units: 0n }])
})

describe('example-annotation', () => {
  test.for([
    { it: 'is missing', seats: undefined, says: 'node node-a has no annotation example.com/seats' },
    { it: 'holds a word', seats: 'many', says: 'annotation example.com/seats is "many", not a whole number' },
    { it: 'holds a negative number', seats: '-1', says: 'not a whole number' },
  ])('rejects for a node whose annotation $it', async ({ seats, says }) => {
    await expect(runResourceSource(plugin, { args, nodes: [node(seats)] })).rejects.toThrow(says)
  })

  test('refuses arguments without an annotation', async () => {
    await expect(runResourceSource(plugin)).rejects.toThrow('args.annotation')
  })
})
