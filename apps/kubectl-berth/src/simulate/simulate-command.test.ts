import { parseCommandLine } from '@berth/process/command'
import { describe, expect, test } from 'vitest'
import { commandDefinition } from '../cli/command-definition.ts'
import { UsageError } from '../errors.ts'
import { testTerminal } from '../../test/test-terminal.ts'
import { simulateCommand } from './simulate-command.ts'

describe('simulate', () => {
  test.for([
    [['--colour', 'red'], 'unknown flag --colour'],
    [['--nodez', '3'], 'unknown flag --nodez; did you mean --nodes?'],
    [['--nodes', 'many'], '--nodes many: expected a whole number from 0 to 100000'],
    [['--port', '70000'], '--port 70000: expected a whole number from 0 to 65535'],
    [['extra'], 'unexpected argument "extra"'],
  ] as const)('%o: %s', ([argv, message]) => {
    expect(parseCommandLine(commandDefinition(simulateCommand), argv).problems).toEqual([message])
  })

  test.for([
    [['--kubeconfig', 'k', '--join', 'j'], '--kubeconfig and --join exclude each other'],
    [['--join', 'j', '--snapshot', 's'], '--join and --snapshot exclude each other'],
    [['--from-cluster', 'k', '--snapshot', 's'], '--from-cluster and --snapshot exclude each other'],
    [['--record', 'f'], '--record needs --from-cluster'],
    [['--speed', '3'], '--speed needs --timeline'],
    [['--join', 'j', '--device', 'dongle=1'], '--device dongle=1: '],
    [['--join', 'j', '--device', 'a.b/c=few'], '--device a.b/c=few: expected a whole number from 0 to 10000'],
  ] as const)('%o: %s', async ([argv, message]) => {
    const { line } = parseCommandLine(simulateCommand, argv)
    const refused = simulateCommand.run(line, {
      terminal: testTerminal(),
      stop: AbortSignal.abort(),
      connect: () => Promise.reject(new Error('no cluster')),
      connectTransport: () => Promise.reject(new Error('no cluster')),
      builtInPlugins: async () => [],
      loadPlugins: () => Promise.reject(new Error('no plugins')),
    })
    const error = await refused.catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(UsageError)
    expect(error).toMatchObject({ message: expect.stringContaining(message) as unknown })
  })
})
