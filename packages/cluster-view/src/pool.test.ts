import { expect, test } from 'vitest'
import { createPool } from './pool.ts'

test('a value with a long key is not kept', () => {
  const pool = createPool<object>({ generationSize: 10, maxKeyLength: 3 })
  const [short, long] = [pool.obtain('abc', () => ({})), pool.obtain('abcd', () => ({}))]
  expect(pool.obtain('abc', () => ({}))).toBe(short)
  expect(pool.obtain('abcd', () => ({}))).not.toBe(long)
})

test('at most two generations are kept, and what is used stays', () => {
  const pool = createPool<string>({ generationSize: 10, maxKeyLength: 10 })
  const created: string[] = []
  const obtain = (key: string): string => pool.obtain(key, () => (created.push(key), key))
  for (let i = 0; i < 40; i++) {
    obtain('used')
    obtain(`once ${i}`)
  }
  obtain('once 0')
  expect(created.filter((key) => key === 'used')).toHaveLength(1)
  expect(created.filter((key) => key === 'once 0')).toHaveLength(2)
})
