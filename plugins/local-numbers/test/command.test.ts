import { runResourceSource } from '@berth/plugin-api/testing'
import { testSource } from '@berth/source-kit/testing'
import { expect, test } from 'vitest'
import { command } from '../src/command.ts'
import { samples } from './sample.ts'

const sh = (script: string, ...args: readonly string[]) =>
  testSource(command, { command: ['/bin/sh', '-c', script, 'sh', ...args] })

test('command keeps the contract', async () => {
  expect(await runResourceSource(command, samples.command)).toMatchObject([{ units: 12n }])
})

test.for([
  { it: 'standard output alone', script: 'echo warning >&2; echo 1.5k', units: 1500n },
  { it: 'the name of the node as an argument', script: 'echo ${#1}', args: ['{node}'], units: 6n },
  { it: 'the name of the node as a variable', script: 'echo ${#BERTH_NODE_NAME}', units: 6n },
])('command reads $it', async ({ script, args = [], units }) => {
  expect((await sh(script, ...args).compute()).units).toBe(units)
})

test('command runs no shell, and passes on no variables of the advertiser', async () => {
  process.env['BERTH_SECRET'] = '5'
  expect((await sh('echo ${BERTH_SECRET:-7}').compute()).units).toBe(7n)
  delete process.env['BERTH_SECRET']
  const source = testSource(command, { command: ['/bin/echo', '3; echo 4'] })
  await expect(source.compute()).rejects.toThrow('the output of /bin/echo is "3; echo 4", not a number')
})

test.for([
  { it: 'fails', script: 'echo 3; echo "no \u001b[31mlicence" >&2; exit 4', says: '/bin/sh ended with 4: ' },
  {
    it: 'says why it fails',
    script: 'echo "no \u001b[31mlicence" >&2; exit 4',
    says: '/bin/sh ended with 4: no licence',
  },
  { it: 'fails silently', script: 'exit 1', says: /\/bin\/sh ended with 1$/ },
  { it: 'prints nothing', script: ':', says: 'the output of /bin/sh is "", not a number' },
  { it: 'prints without end', script: 'yes 1 | head -c 1000000', says: 'not a number' },
])('command rejects a program that $it', async ({ script, says }) => {
  await expect(sh(script).compute()).rejects.toThrow(says)
})

test('command rejects a program that is not there', async () => {
  await expect(testSource(command, { command: ['/nonexistent'] }).compute()).rejects.toThrow('ENOENT')
})

test('command kills the program and its children when the deadline has passed', async () => {
  const stop = new AbortController()
  const query = sh('sleep 1000 & sleep 1000').compute('node-a', stop.signal)
  stop.abort(new Error('deadline'))
  await expect(query).rejects.toThrow('deadline')
})

test.for([
  { it: 'no program', args: [], says: 'args.command' },
  { it: 'a program without its path', args: ['echo', '1'], says: 'expected the absolute path of a program first' },
])('command refuses $it', ({ args, says }) => {
  expect(() => testSource(command, { command: args })).toThrow(says)
})
