import { expect, test } from 'vitest'
import { Scratch } from './scratch.ts'

test('lends an array again, with zeros where it is used', () => {
  const scratch = new Scratch()
  const array = scratch.takeFloats(4).fill(7)
  scratch.giveBack(array)
  const again = scratch.takeFloats(3)
  expect(again).toBe(array)
  expect([...again.subarray(0, 4)]).toEqual([0, 0, 0, 7])
  expect(scratch.takeInts(3)).toBeInstanceOf(Int32Array)
})

test('keeps a limited number of arrays, however many are lent at the same time', () => {
  const scratch = new Scratch()
  const lent = Array.from({ length: 100 }, () => scratch.takeInts(1))
  for (const array of lent) scratch.giveBack(array)
  const again = Array.from({ length: 100 }, () => scratch.takeInts(1))
  expect(again.filter((array) => lent.includes(array)).length).toBe(16)
})
