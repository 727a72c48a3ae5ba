import { describe, expect, test } from 'vitest'
import { seenWhile } from './observe-during.ts'

describe('seenWhile', () => {
  test('shows each sight once, the first before the task is over, and ends with the task', async () => {
    const task = Promise.withResolvers<void>()
    const sights = ['4/4', '4/4', '4/0', '4/4']
    const seen = await seenWhile(task.promise, async () => {
      if (sights.length === 1) task.resolve()
      return sights.shift() ?? 'too late'
    })
    expect(seen).toEqual(['4/4', '4/0'])
  })

  const fails = async (message: string): Promise<never> => {
    throw new Error(message)
  }
  test('fails with the task', async () => {
    await expect(seenWhile(fails('no upgrade'), async () => '4/4')).rejects.toThrow('no upgrade')
  })

  test('fails with the look', async () => {
    await expect(seenWhile(Promise.resolve(), () => fails('no answer'))).rejects.toThrow('no answer')
  })
})
