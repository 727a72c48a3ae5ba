import { expect, test } from 'vitest'
import { runCommand, runOrThrow } from './run-command.ts'

test('a command that takes too long is killed, and the error says so', async () => {
  const late = runOrThrow('sh', ['-c', 'echo started >&2; exec sleep 600'], { timeoutMs: 500 })
  await expect(late).rejects.toThrow(/exit 1: started\s+killed after 0\.5 s$/)
})

test('a command that the caller ends is not called late', async () => {
  const stop = new AbortController()
  const ended = runCommand('sleep', ['600'], { signal: stop.signal })
  stop.abort()
  expect(await ended).toEqual({ status: 1, stdout: '', stderr: '' })
})
