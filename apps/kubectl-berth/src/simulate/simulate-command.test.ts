import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseCommandLine } from '@berth/process/command'
import { describe, expect, test } from 'vitest'
import { commandDefinition } from '../cli/command-definition.ts'
import { UsageError } from '../errors.ts'
import { testTerminal } from '../../test/test-terminal.ts'
import { simulateCommand } from './simulate-command.ts'

describe('simulate', () => {
  test('help has an example of each source of objects', () => {
    const examples = (simulateCommand.examples ?? []).map(({ command }) => command).join('\n')
    for (const flag of ['--from-cluster', '--record', '--snapshot', '--timeline'])
      expect(examples).toContain(`${flag} `)
  })

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
    [['--from-cluster', 'k', '--kubeconfig', './k'], '--kubeconfig would overwrite the file of --from-cluster: ./k'],
    [['--from-cluster', 'k', '--record', 'k'], '--record would overwrite the file of --from-cluster: k'],
    [['--from-cluster', 'd/kubeconfig', '--dir', 'd'], '--kubeconfig would overwrite the file of --from-cluster: '],
    [['--timeline', 't', '--audit-log', 't'], '--audit-log would overwrite the file of --timeline: t'],
    [['--from-cluster', 'k', '--request-timeout', 'soon'], '--request-timeout "soon": expected a duration'],
    [['--join', 'j', '--device', 'dongle=1'], '--device dongle=1: '],
    [['--join', 'j', '--device', 'a.b/c=few'], '--device a.b/c=few: expected a whole number from 0 to 10000'],
  ] as const)('%o: %s', async ([argv, message]) => {
    const error = await refusal(argv)
    expect(error).toBeInstanceOf(UsageError)
    expect(error).toMatchObject({ message: expect.stringContaining(message) as unknown })
  })

  test('a link to the kubeconfig of the source is not overwritten', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'berth-simulate-'))
    const [config, link] = [join(dir, 'config'), join(dir, 'link')]
    await writeFile(config, 'the credentials of a real cluster')
    await symlink(config, link)
    expect(await refusal(['--from-cluster', config, '--kubeconfig', link])).toMatchObject({
      message: `--kubeconfig would overwrite the file of --from-cluster: ${link}`,
    })
    expect(await readFile(config, 'utf8')).toBe('the credentials of a real cluster')
    await rm(dir, { recursive: true })
  })

  /** Runs the command; returns its error. */
  async function refusal(argv: readonly string[]): Promise<unknown> {
    const { line } = parseCommandLine(simulateCommand, argv)
    const refused = simulateCommand.run(line, {
      terminal: testTerminal(),
      stop: AbortSignal.abort(),
      connect: () => Promise.reject(new Error('no cluster')),
      connectTransport: () => Promise.reject(new Error('no cluster')),
      builtInPlugins: async () => [],
      loadPlugins: () => Promise.reject(new Error('no plugins')),
    })
    return await refused.catch((reason: unknown) => reason)
  }
})
