import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { kubectlBinary } from '@berth/testing'
import { describe, expect, test } from 'vitest'
import { isAlive, startStory } from './run-story.ts'

const root = join(import.meta.dirname, '../../..')
const apps = ['extender', 'scheduler', 'advertiser', 'device-plugin'] as const

/** Returns the process ids that the story printed for its apps. */
function pidsIn(output: string): readonly number[] {
  return [...output.matchAll(/pid (\d+)/g)].map(([, pid]) => Number(pid))
}

/** Runs the commands of the story's last part in one shell, as a user pastes them. Rejects when one fails. */
async function pasteAll([text]: RegExpExecArray): Promise<{ readonly stdout: string }> {
  const commands = text
    .split('\n')
    .flatMap((line) => /^ {5}((?:export|kubectl|npm|\.\/berth) .*)$/.exec(line)?.[1] ?? [])
  expect(commands).toHaveLength(7)
  const waited = commands.flatMap((command) =>
    command.startsWith('kubectl apply')
      ? [command, 'kubectl wait pod/extended-resource-demo --for=condition=Ready --timeout=60s']
      : command,
  )
  const env = { ...process.env, PATH: `${dirname(await kubectlBinary())}:${process.env['PATH']}` }
  return promisify(execFile)('sh', ['-e', '-c', waited.join('\n')], { cwd: root, env })
}

describe('npm start -- --once', () => {
  test('runs the whole story, exits with 0 and leaves nothing behind', async () => {
    await using story = await startStory(['--once'])
    const { status, output } = await story.end()
    expect(output).toContain('13/13')
    expect(output).toContain('event FailedScheduling: 0/3 nodes are available: 3 Insufficient')
    expect(output).toContain('✔ labels, annotations, capacity and allocatable of node-1 are as before')
    expect(status).toBe(0)
    // The output of other programs keeps its own width.
    const results = output.split('\n').filter((line) => line.startsWith('   ✔'))
    expect(results.filter((line) => line.length > 80)).toEqual([])
    expect(pidsIn(output)).toHaveLength(apps.length)
    expect(pidsIn(output).filter(isAlive)).toEqual([])
    expect(await story.leftFiles()).toEqual([])
  })

  test('is readable in a terminal of 60 columns', async () => {
    await using story = await startStory(['--once'], { COLUMNS: '60' })
    const { status, output } = await story.end()
    expect(status).toBe(0)
    // Commands are not wrapped, so that they can be copied, and neither are names.
    const wrapped = output.split('\n').filter((line) => !/\$ |kubectl |\/st-|\/berth-/.test(line))
    expect(wrapped.filter((line) => line.length > 60)).toEqual([])
  })

  test.for(apps)('exits with 1 and names the chapter when %s is killed', async (app) => {
    await using story = await startStory(['--once'])
    const [, pid] = await story.line(new RegExp(`${app} +pid (\\d+)`))
    process.kill(Number(pid), 'SIGKILL')
    const { status, output } = await story.end()
    expect(status).toBe(1)
    expect(output).toMatch(new RegExp(`✘ [A-Z].*: ${app} ended by itself \\(SIGKILL\\)`))
    expect(pidsIn(output).filter(isAlive)).toEqual([])
    expect(await story.leftFiles()).toEqual([])
  })
})

describe('npm start', () => {
  test('stays up after the story, prints what to run next, and exits with 0 on Ctrl-C', async () => {
    await using story = await startStory([])
    const [, kubeconfig] = await story.line(/export KUBECONFIG=(\S+)\n/)
    expect(kubeconfig).toMatch(/kubeconfig$/)
    await story.line(/Configurations and logs/)
    // What it tells to paste works, and the pod that it tells to apply does not stay pending.
    const { stdout } = await pasteAll(await story.line(/\nTry it\n[^]*$/))
    expect(stdout).toMatch(/example\.com\/dongle \(units\)\n[^]*extended-resource-demo.*Running[^]*3 \(75%\)/)
    expect(stdout).toContain('Pod default/extended-resource-demo-2 asks for example.com/dongle: 2')
    story.signal('SIGINT')
    const { status, output } = await story.end()
    expect(status).toBe(0)
    expect(pidsIn(output).filter(isAlive)).toEqual([])
    expect(await story.leftFiles()).toEqual([])
  })

  test.for(['1/13', '3/13', 'pid', '7/13', '10/13'])('Ctrl-C at %s leaves no process and no file', async (moment) => {
    await using story = await startStory(['--once'])
    await story.line(new RegExp(moment))
    story.signal('SIGINT')
    const { status, output } = await story.end()
    expect(status).toBe(130)
    expect(pidsIn(output).filter(isAlive)).toEqual([])
    expect(await story.leftFiles()).toEqual([])
  })

  test('names an unknown flag and exits with 2', async () => {
    await using story = await startStory(['--onec'])
    const { status, output } = await story.end()
    expect(status).toBe(2)
    expect(output).toContain('--onec')
    expect(output).toContain('Run: npm start -- --help')
  })
})
