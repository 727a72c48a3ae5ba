import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createLogger } from './create-logger.ts'
import { createLineWriter } from './line-writer.ts'

test('writes whole lines in their order', () => {
  const dir = mkdtempSync(join(tmpdir(), 'line-writer-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const path = join(dir, 'log')
  const fd = openSync(path, 'w')
  const writer = createLineWriter(fd)
  for (const line of ['one\n', 'zwei ü\n', 'three\n']) writer.write(line)
  closeSync(fd)
  expect(readFileSync(path, 'utf8')).toBe('one\nzwei ü\nthree\n')
})

test('loses a line where the disk is full, and does not throw', () => {
  const fd = openSync('/dev/full', 'w')
  onTestFinished(() => closeSync(fd))
  const log = createLogger({ component: 'test', level: 'info', destination: createLineWriter(fd) })
  expect(() => log.info({}, 'lost')).not.toThrow()
})

test.for(['json', 'text'])('a program whose standard output is a full disk goes on (%s)', async (format) => {
  const fd = openSync('/dev/full', 'w')
  const module = JSON.stringify(join(import.meta.dirname, 'create-logger.ts'))
  const code = `
    import { createLogger } from ${module}
    const log = createLogger({ component: 'test', level: 'info', format: '${format}' })
    for (let i = 0; i < 100; i++) log.info({ i }, 'lost')
    setTimeout(() => process.exit(7), 100)
  `
  const args = ['-C', '@berth/source', '--input-type=module', '--eval', code]
  const child = spawn(process.execPath, args, { stdio: ['ignore', fd, 'inherit'] })
  closeSync(fd)
  onTestFinished(() => void child.kill('SIGKILL'))
  expect(await once(child, 'exit')).toEqual([7, null])
})
