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
      writeExecutable: async (file, text) => void written.set(file, text),
    })
    expect(await run(command, ...argv)).toBe(`${path}\n`)
    expect([...written]).toEqual([[path, expect.stringContaining('exec kubectl-berth __complete "$@"\n')]])
  })

  test('says which directory to choose when it cannot write', async () => {
    const writeExecutable = () => Promise.reject(new Error('permission denied'))
    await expect(run(completionInstallCommand({ program: '/x/kubectl-berth', writeExecutable }))).rejects.toMatchObject(
      {
        message: 'write /x/kubectl_complete-berth: permission denied',
        code: 'BERTH_KUBECTL_FILE',
      },
    )
  })
})

test('completion script quotes the path of a program that has another name', async () => {
  expect(await run(completionScriptCommand({ program: "/it's here/main.js" }))).toContain(
    `exec node '/it'\\''s here/main.js' __complete "$@"\n`,
  )
})
