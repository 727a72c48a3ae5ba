import { describe, expect, test } from 'vitest'
import { testTerminal } from '../../test/test-terminal.ts'
import { type CommandOutput, watchOutput } from './watch-output.ts'

/** Watches these outputs, one for each read. The last one ends the watch. */
async function watched(...outputs: readonly (string | Error)[]) {
  const stop = new AbortController()
  const clears: number[] = []
  const terminal = { ...testTerminal(), clear: () => void clears.push(1) }
  let reads = 0
  const read = async (): Promise<CommandOutput> => {
    const next = outputs[reads++]
    if (reads === outputs.length) stop.abort()
    if (next instanceof Error) throw next
    return { text: `${next}\n`, notes: '' }
  }
  const advance = async (): Promise<void> => {
    for (let i = 0; i < outputs.length; i++) await terminal.clock.advance(2_000)
  }
  await Promise.all([watchOutput(terminal, stop.signal, read), advance()])
  return { text: terminal.output(), notes: terminal.notes(), clears: clears.length }
}

describe('watchOutput', () => {
  test('prints what changed, on a cleared screen', async () => {
    expect(await watched('a', 'a', 'b', 'b', 'c')).toEqual({ text: 'a\nb\nc\n', notes: '', clears: 3 })
  })

  test('reports a failure once, and shows the output again after it', async () => {
    const failure = new Error('no route')
    expect(await watched('a', failure, failure, 'a')).toEqual({
      text: 'a\na\n',
      notes: 'no route; trying again\n',
      clears: 2,
    })
  })

  test('fails when the first read fails', async () => {
    await expect(watched(new Error('no route'), 'a')).rejects.toThrow('no route')
  })
})
