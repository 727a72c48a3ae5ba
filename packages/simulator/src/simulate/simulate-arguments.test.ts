import { describe, expect, test } from 'vitest'
import { parseSimulateArguments } from './simulate-arguments.ts'

describe('parseSimulateArguments', () => {
  test('fills what is not given', () => {
    expect(parseSimulateArguments(['--kubeconfig', 'k'])).toEqual({
      kind: 'run',
      nodes: 3,
      pods: 0,
      port: 0,
      kubeconfig: 'k',
      devices: {},
      schedulesPods: false,
    })
    expect(
      parseSimulateArguments(['--kubeconfig=k', '--nodes', '5', '--pods', '9', '--dir', 'd', '--port', '6443']),
    ).toEqual({
      kind: 'run',
      nodes: 5,
      pods: 9,
      port: 6443,
      kubeconfig: 'k',
      dir: 'd',
      devices: {},
      schedulesPods: false,
    })
  })

  test('joins another cluster', () => {
    const argv = ['--join', 'k', '--nodes', '2', '--prefix', 'x', '--device', 'a.b/c=4', '--device', 'a.b/d=1']
    expect(parseSimulateArguments(argv)).toEqual({
      kind: 'join',
      nodes: 2,
      kubeconfig: 'k',
      prefix: 'x',
      devices: { 'a.b/c': 4, 'a.b/d': 1 },
    })
  })

  test('explains itself', () => {
    expect(parseSimulateArguments(['--help'])).toMatchObject({
      kind: 'help',
      text: expect.stringContaining('--nodes N') as unknown,
    })
  })

  test.for([
    [[], '--kubeconfig FILE is missing'],
    [['--colour', 'red'], "Unknown option '--colour'"],
    [['--kubeconfig', 'k', '--nodes', 'many'], '--nodes must be a whole number from 0 to 100000, not "many"'],
    [['--kubeconfig', 'k', '--port', '70000'], '--port must be a whole number'],
    [['--kubeconfig', 'k', 'extra'], 'Unexpected argument'],
    [['--kubeconfig', 'k', '--join', 'j'], '--kubeconfig and --join exclude each other'],
    [['--join', 'j', '--device', 'dongle=1'], '--device dongle=1'],
    [['--join', 'j', '--device', 'a.b/c=few'], '--device a.b/c must be a whole number'],
  ] as const)('%o: %s', ([argv, message]) => {
    const request = parseSimulateArguments(argv)
    expect(request).toMatchObject({ kind: 'usage', text: expect.stringContaining(message) as unknown })
  })
})
