import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { runProgram } from './run-program.ts'

const run = (command: readonly string[], signal = new AbortController().signal) =>
  runProgram(command, { env: {}, signal })
const script = (text: string) => run([process.execPath, '-e', text])

describe('runProgram', () => {
  test('returns a character whose bytes arrive one after the other', async () => {
    const { stdout, output } = await script(`
      const bytes = Buffer.from('é€😀')
      const write = (i) => i < bytes.length && process.stdout.write(bytes.subarray(i, i + 1), () => setTimeout(write, 20, i + 1))
      write(0)`)
    expect([stdout, output]).toEqual(['é€😀', 'é€😀'])
  })

  test('keeps 1,024 characters, and no half of one', async () => {
    const { stdout } = await script(`process.stdout.write('x' + '😀'.repeat(600))`)
    expect(stdout.length).toBeLessThanOrEqual(1_024)
    expect(stdout.isWellFormed()).toBe(true)
  })

  test.for([
    ['ends', [process.execPath, '-e', '']],
    ['cannot be started', ['/does/not/exist']],
  ] as const)('leaves no listener on the signal when the program %s', async ([, command]) => {
    const { signal } = new AbortController()
    await run(command, signal).catch(() => undefined)
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
})
