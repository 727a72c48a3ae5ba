import { describe, expect, test } from 'vitest'
import { shutdownSignal } from './shutdown-signal.ts'
import { untilAborted } from './until-aborted.ts'

function fakeProcess() {
  const listeners = new Map<string, (signal: NodeJS.Signals) => void>()
  const exits: number[] = []
  return {
    exits,
    source: {
      on: (signal: string, listener: (signal: NodeJS.Signals) => void) => listeners.set(signal, listener),
      exit: (code: number) => void exits.push(code),
    },
    send: (signal: NodeJS.Signals) => listeners.get(signal)?.(signal),
  }
}

describe('shutdownSignal', () => {
  test.for(['SIGTERM', 'SIGINT'] as const)('aborts on %s with its name', async (name) => {
    const { source, send, exits } = fakeProcess()
    const signal = shutdownSignal(source)
    expect(signal.aborted).toBe(false)
    const done = untilAborted(signal)
    send(name)
    await done
    expect(signal.reason).toBe(name)
    expect(exits).toEqual([])
  })

  test('ends the process at once on the second signal', () => {
    const { source, send, exits } = fakeProcess()
    shutdownSignal(source)
    send('SIGTERM')
    send('SIGINT')
    expect(exits).toEqual([130])
  })
})

test('untilAborted ends at once for an aborted signal', async () => {
  await expect(untilAborted(AbortSignal.abort())).resolves.toBeUndefined()
})
