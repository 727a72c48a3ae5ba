import { describe, expect, test } from 'vitest'
import { observeDuring } from './observe-during.ts'

describe('observeDuring', () => {
  test('returns each value once, reads the first before the task ends, and ends with the task', async () => {
    const task = Promise.withResolvers<void>()
    const values = ['4/4', '4/4', '4/0', '4/4']
    const seen = await observeDuring(task.promise, async () => {
      if (values.length === 1) task.resolve()
      return values.shift() ?? 'too late'
    })
    expect(seen).toEqual(['4/4', '4/0'])
  })

  const fails = async (message: string): Promise<never> => {
    throw new Error(message)
  }
  test('fails with the task', async () => {
    await expect(observeDuring(fails('no upgrade'), async () => '4/4')).rejects.toThrow('no upgrade')
  })

  test('fails with the observation', async () => {
    await expect(observeDuring(Promise.resolve(), () => fails('no answer'))).rejects.toThrow('no answer')
  })
})
