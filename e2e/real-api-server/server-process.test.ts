import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('a server ends with the process that started it, also when that is killed', async () => {
  const log = join(mkdtempSync(join(tmpdir(), 'server-')), 'log')
  const program = join(import.meta.dirname, 'server-process.ts')
  const code = `
    import { startServerProcess } from ${JSON.stringify(program)}
    console.log(startServerProcess('sleep', ['600'], ${JSON.stringify(log)}).pid)
  `
  const starter = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [output] = (await once(starter.stdout, 'data')) as [Buffer]
  const pid = Number(output.toString())
  expect(isRunning(pid)).toBe(true)
  starter.kill('SIGKILL')
  await once(starter, 'exit')
  await expect.poll(() => isRunning(pid), { timeout: 10_000 }).toBe(false)
})
