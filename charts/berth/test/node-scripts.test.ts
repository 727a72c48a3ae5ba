import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { chartDir } from './render.ts'
import { run } from './run-script.ts'
import { scratchFolder } from './scratch-folder.ts'

const dir = scratchFolder()

describe('round-trip', () => {
  const dongle = 'example.com/dongle'
  test.for([
    {
      it: 'a device',
      source: 'device-plugin',
      env: { BERTH_DEVICES_EXAMPLE_COM_DONGLE: 'dongle-0' },
      code: 0,
      says: `${dongle}: got dongle-0`,
    },
    {
      it: 'a device with a path that is there',
      source: 'device-plugin',
      env: { BERTH_DEVICES_EXAMPLE_COM_DONGLE: 'a', BERTH_PATHS_EXAMPLE_COM_DONGLE: '/dev/null' },
      code: 0,
      says: 'got a /dev/null',
    },
    {
      it: 'a device with a path that is not',
      source: 'device-plugin',
      env: { BERTH_DEVICES_EXAMPLE_COM_DONGLE: 'a', BERTH_PATHS_EXAMPLE_COM_DONGLE: '/dev/none' },
      code: 1,
      says: '/dev/none is not in the container',
    },
    { it: 'no device', source: 'device-plugin', env: {}, code: 1, says: 'BERTH_DEVICES_EXAMPLE_COM_DONGLE is not set' },
    { it: 'a unit of the advertiser', source: 'advertiser', env: {}, code: 0, says: 'got one unit' },
  ])('$it: exit $code', async ({ source, env, code, says }) => {
    const result = await run('round-trip', [dongle, source], env)
    expect(result).toEqual({ code, text: expect.stringContaining(says) })
  })
})

describe('own-socket-directory', () => {
  test('makes the directory root’s, sets its mode, then hands it over: only the owner may set a mode', async () => {
    // Changing owners takes root, so the calls are shown instead; 448 is 0700.
    const shown = `
      import fs from 'node:fs'
      import { syncBuiltinESMExports } from 'node:module'
      for (const name of ['chownSync', 'chmodSync']) fs[name] = (...args) => console.log(name, ...args)
      syncBuiltinESMExports()`
    const flags = ['--import', `data:text/javascript,${encodeURIComponent(shown)}`]
    expect(await run('own-socket-directory', ['/sockets'], {}, flags)).toEqual({
      code: 0,
      text: 'chownSync /sockets 0 0\nchmodSync /sockets 448\nchownSync /sockets 65532 65532\n',
    })
  })
})

describe('clear-sockets', () => {
  const directoryOf = (name: string): string => {
    const directory = join(dir, name)
    mkdirSync(directory)
    return directory
  }
  /** A socket whose process was killed: it stays and refuses. */
  const leaveSocket = async (path: string): Promise<void> => {
    const listen = `require('node:net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`
    await new Promise((resolve) => void execFile(process.execPath, ['--eval', listen, path], resolve))
    if (!existsSync(path)) throw new Error(`nobody made ${path}`)
  }

  test('is content with an empty directory, and with none', async () => {
    expect(await run('clear-sockets', [directoryOf('empty'), '1'])).toEqual({ code: 0, text: '' })
    expect(await run('clear-sockets', [join(dir, 'none'), '1'])).toEqual({ code: 0, text: '' })
  })

  test('deletes what a killed device plugin left, which the kubelet would call for ever', async () => {
    const path = join(directoryOf('killed'), 'berth-0123456789-a.sock')
    await leaveSocket(path)
    expect(await run('clear-sockets', [join(dir, 'killed'), '5'])).toEqual({
      code: 0,
      text: `deleted ${path}, which nobody answers\n`,
    })
    expect(existsSync(path)).toBe(false)
  })

  test('waits until the device plugin has left', async () => {
    const path = join(directoryOf('busy'), 'berth-0123456789-b.sock')
    const server = createServer().listen(path)
    await once(server, 'listening')
    const done = run('clear-sockets', [join(dir, 'busy'), '10'])
    setTimeout(() => server.close(), 300)
    expect(await done).toEqual({ code: 0, text: '' })
  })

  test('fails where somebody answers to the end, or something else lies there, and deletes neither', async () => {
    const directory = directoryOf('kept')
    const [live, file] = [join(directory, 'berth-0123456789-c.sock'), join(directory, 'other.sock')]
    const server = createServer().listen(live)
    await once(server, 'listening')
    await leaveSocket(file)
    expect(await run('clear-sockets', [directory, '1'])).toEqual({
      code: 1,
      text: `${live} is still answered\n${file} is not of Berth\n`,
    })
    expect([existsSync(live), existsSync(file)]).toEqual([true, true])
    server.close()
  })
})

describe('remove-socket-directory', () => {
  test('removes an empty directory, and is content with none', async () => {
    const directory = join(dir, 'removed')
    mkdirSync(directory)
    expect(await run('remove-socket-directory', [directory])).toEqual({ code: 0, text: `removed ${directory}\n` })
    expect(existsSync(directory)).toBe(false)
    expect(await run('remove-socket-directory', [directory])).toEqual({ code: 0, text: '' })
  })

  test('fails where something is in it, and leaves it', async () => {
    const directory = join(dir, 'full')
    mkdirSync(directory)
    writeFileSync(join(directory, 'a.sock'), '')
    const { code, text } = await run('remove-socket-directory', [directory])
    expect([code, text]).toEqual([1, expect.stringMatching(/full stays: ENOTEMPTY/)])
    expect(existsSync(directory)).toBe(true)
  })
})

describe('prune', () => {
  const program = (name: string, text: string): string => {
    const path = join(dir, name)
    writeFileSync(path, text)
    return path
  }

  test('has the advertiser take back, and says nothing of its own where that succeeds', async () => {
    const path = program('good.cjs', `console.log(process.argv.slice(2).join(' '))`)
    expect(await run('prune', [path, 'berth', 'lab'])).toEqual({ code: 0, text: 'prune --force\n' })
  })

  test('where it fails says how to do it by hand, in the words of the README', async () => {
    const { code, text } = await run('prune', [program('bad.cjs', 'process.exit(3)'), 'berth', 'berth-system'])
    expect(code).toBe(1)
    const commands = [...text.matchAll(/^ {2}(.+)$/gm)].map(([, command = '']) => command)
    expect(commands).toHaveLength(2)
    const readme = readFileSync(join(chartDir, 'README.md'), 'utf8')
    for (const command of commands) expect(readme).toContain(command)
  })
})
