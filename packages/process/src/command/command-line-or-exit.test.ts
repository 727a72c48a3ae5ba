import { afterEach, expect, test, vi } from 'vitest'
import { exitAs } from './command-line-or-exit.ts'

afterEach(() => void vi.restoreAllMocks())

test.for([
  { request: { code: 0 }, stream: 'stdout' },
  { request: { code: 2 }, stream: 'stderr' },
  { request: { code: 0, stream: 'stderr' }, stream: 'stderr' },
  { request: { code: 1, stream: 'stdout' }, stream: 'stdout' },
] as const)('exits with $request and prints to $stream', ({ request, stream }) => {
  const written: (readonly [string, unknown])[] = []
  for (const name of ['stdout', 'stderr'] as const)
    vi.spyOn(process[name], 'write').mockImplementation((text) => (written.push([name, text]), true))
  vi.spyOn(process, 'exit').mockImplementation((code) => {
    throw new Error(`exit ${String(code)}`)
  })
  expect(() => exitAs({ kind: 'exit', text: 'done\u001b[2J\n', ...request })).toThrow(`exit ${request.code}`)
  expect(written).toEqual([[stream, expect.not.stringContaining('\u001b')]])
})
