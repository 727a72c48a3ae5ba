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
  ] as const)('%o: %s', ([argv, message]) => {
    const request = parseSimulateArguments(argv)
    expect(request).toMatchObject({ kind: 'usage', text: expect.stringContaining(message) as unknown })
  })
})
