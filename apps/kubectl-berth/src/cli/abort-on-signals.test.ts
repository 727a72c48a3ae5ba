import { fakeClock } from '@berth/clock/testing'
import { expect, test } from 'vitest'
import { abortOnSignals } from './abort-on-signals.ts'

test('aborts on the first signal, ignores its copy, and exits on a second one', async () => {
  const listeners = new Map<string, (signal: NodeJS.Signals) => void>()
  const exits: number[] = []
  const clock = fakeClock()
  const stop = abortOnSignals(
    { on: (name, listener) => listeners.set(name, listener), exit: (code) => void exits.push(code) },
    clock,
  )
  expect(stop.aborted).toBe(false)
  listeners.get('SIGINT')?.('SIGINT')
  listeners.get('SIGTERM')?.('SIGTERM')
  expect([stop.aborted, exits]).toEqual([true, []])
  await clock.advance(501)
  listeners.get('SIGINT')?.('SIGINT')
  expect(exits).toEqual([130])
})
