import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { growthProblems, judgeLife } from './judge-growth.ts'
import { growthTable } from './growth-table.ts'
import { startSoakProcess, type SoakProcess } from './soak-process.ts'

const dir = mkdtempSync(join(tmpdir(), 'soak-process-'))
afterAll(() => rmSync(dir, { recursive: true }))
const MIN_LIFE_MS = 1_500
const idle = ['-e', 'setInterval(() => {}, 1_000)']

/** Starts a process that leaks 100 times a second, or one that does not. */
function start(name: string, leak: string): SoakProcess {
  return startSoakProcess({
    name,
    args: ['--import', join(import.meta.dirname, 'leak.ts'), ...idle],
    env: { BERTH_SOAK_LEAK: leak, BERTH_SOAK_LEAK_EVERY_MS: '10' },
    logPath: join(dir, `${name}.log`),
  })
}

/** Samples a process for 3.5 s after its first second. */
async function measure(soaked: SoakProcess): Promise<void> {
  await pause(1_000)
  for (let i = 0; i < 35; i++) {
    await soaked.sample()
    await pause(100)
  }
}

test.for([
  { leak: 'handles', says: /^handles: handles grew by /, result: /GROWS$/m },
  { leak: 'memory', says: /^memory: rssBytes grew by /, result: /GROWS$/m },
  { leak: 'none', says: /^$/, result: /flat$/m },
])('judges a process that leaks $leak', async ({ leak, says, result }) => {
  await using soaked = start(leak, leak)
  await measure(soaked)
  const verdicts = soaked.lives().flatMap((life) => judgeLife(life, MIN_LIFE_MS) ?? [])
  const problems = growthProblems(verdicts, [leak])
  expect(problems.join('\n')).toMatch(says)
  expect(growthTable(verdicts)).toMatch(result)
})

test('starts a killed process again without a problem, and reports one that ended by itself', async () => {
  await using soaked = startSoakProcess({ name: 'idle', args: idle, logPath: join(dir, 'idle.log') })
  await expect.poll(() => soaked.sample()).toBeDefined()
  soaked.kill()
  await expect.poll(() => soaked.lives().length).toBe(2)
  await expect.poll(() => soaked.sample()).toBeDefined()
  expect(soaked.problems()).toEqual([])
  await using failing = startSoakProcess({
    name: 'failing',
    args: ['-e', 'console.error("out of ideas"); process.exit(3)'],
    logPath: join(dir, 'failing.log'),
  })
  await expect.poll(() => failing.problems()[0]).toBe('failing ended by itself (exit code 3): out of ideas')
})

test('a stopped process does nothing until it continues', async () => {
  const logPath = join(dir, 'counting.log')
  await using soaked = startSoakProcess({
    name: 'counting',
    args: ['-e', 'setInterval(() => console.log(1), 20)'],
    logPath,
  })
  const lines = (): number => readFileSync(logPath, 'utf8').length
  await expect.poll(lines).toBeGreaterThan(10)
  const stopped = soaked.stop(1_500)
  await pause(300)
  const before = lines()
  await pause(600)
  expect(lines()).toBe(before)
  await stopped
  await expect.poll(lines).toBeGreaterThan(before)
  expect(soaked.lives()).toHaveLength(1)
})
