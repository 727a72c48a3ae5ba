import { parseCommandLine } from '@berth/process/command'
import { describe, expect, test } from 'vitest'
import { testTerminal } from '../../test/test-terminal.ts'
import type { Command } from '../cli/command.ts'
import { completionInstallCommand, completionScriptCommand } from './completion-command.ts'

async function run(command: Command, ...argv: readonly string[]) {
  const terminal = testTerminal()
  const none = () => Promise.reject(new Error('not needed'))
  const { line } = parseCommandLine(command, argv)
  const stop = new AbortController().signal
  await command.run(line, {
    terminal,
    stop,
    connect: none,
    connectTransport: none,
    loadPlugins: none,
    builtInPlugins: none,
  })
  return terminal.output()
}

describe('completion install', () => {
  test.for([
    { argv: [], path: '/opt/bin/kubectl_complete-berth' },
    { argv: ['--dir', '/home/me/bin'], path: '/home/me/bin/kubectl_complete-berth' },
  ])('writes $path for $argv', async ({ argv, path }) => {
    const written = new Map<string, string>()
    const command = completionInstallCommand({
      program: '/opt/bin/kubectl-berth',
      isSingleExecutable: false,
      writeExecutable: async (file, text) => void written.set(file, text),
    })
    expect(await run(command, ...argv)).toBe(`${path}\n`)
    expect([...written]).toEqual([[path, expect.stringContaining('exec kubectl-berth __complete "$@"\n')]])
  })

  test('says which directory to choose when it cannot write', async () => {
    const writeExecutable = () => Promise.reject(new Error('permission denied'))
    await expect(
      run(completionInstallCommand({ program: '/x/kubectl-berth', isSingleExecutable: false, writeExecutable })),
    ).rejects.toMatchObject({
      message: 'write /x/kubectl_complete-berth: permission denied',
      code: 'BERTH_KUBECTL_FILE',
    })
  })
})

test.for([
  { isSingleExecutable: false, command: `exec node '/it'\\''s here/main.js' __complete "$@"\n` },
  { isSingleExecutable: true, command: `exec '/it'\\''s here/main.js' __complete "$@"\n` },
])(
  'completion script quotes the path of a program that has another name: $command',
  async ({ isSingleExecutable, command }) => {
    const script = completionScriptCommand({ program: "/it's here/main.js", isSingleExecutable })
    expect(await run(script)).toContain(command)
  },
)
