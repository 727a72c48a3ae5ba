import { describe, expect, test } from 'vitest'
import { isAlive, startStory } from './run-story.ts'

const apps = ['extender', 'scheduler', 'advertiser', 'device-plugin'] as const

/** Returns the process ids that the story printed for its apps. */
function pidsIn(output: string): readonly number[] {
  return [...output.matchAll(/pid (\d+)/g)].map(([, pid]) => Number(pid))
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
