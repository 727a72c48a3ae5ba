import { readSchedulerConfiguration } from '@berth/scheduler-config'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { runCli } from '../src/cli/run-cli.ts'
import { wireCommand } from '../src/wire/wire-command.ts'
import { testTerminal, type TestTerminal } from './test-terminal.ts'

async function wire(argv: readonly string[], files: Readonly<Record<string, string>> = {}): Promise<TestTerminal> {
  const terminal = testTerminal(files)
  const unused = (): Promise<never> => Promise.reject(new Error('not used'))
  await runCli({
    argv: ['wire', ...argv],
    commands: [wireCommand],
    terminal,
    stop: new AbortController().signal,
    version: '0.0.0',
    connect: unused,
    complete: async () => undefined,
    contexts: async () => [],
    connectTransport: unused,
    builtInPlugins: unused,
    loadPlugins: unused,
  })
  return terminal
}

const file = (entry: string): string =>
  `apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nextenders: [${entry}]\n`

describe('kubectl berth wire', () => {
  test('prints a configuration that the scheduler accepts and that has no findings', async () => {
    const printed = await wire(['--resource', 'example.com/a', '--ignored', 'example.com/b', '--bind'])
    const text = printed.output()
    const [entry] = readSchedulerConfiguration('scheduler.yaml', () => text).extenders
    expect(entry).toMatchObject({
      urlPrefix: 'https://127.0.0.1:8888',
      bindVerb: 'bind',
      nodeCacheCapable: true,
      ignorable: false,
      managedResources: [
        { name: 'example.com/a', ignoredByScheduler: false },
        { name: 'example.com/b', ignoredByScheduler: true },
      ],
    })
    expect(printed.notes()).toContain('bind: true, ignoredResources: [example.com/b]')
    expect(printed.notes()).toContain('A managed control plane does not let you change its kube-scheduler')
    expect((await wire(['--check', 'f'], { f: text })).output()).toBe('f: no problems in 1 extender(s).\n')
  })

  test.for([
    { it: 'an ignored resource without bind', argv: ['--ignored', 'example.com/b'], says: 'without --bind' },
    { it: 'a native resource', argv: ['--resource', 'cpu'], says: 'read resource cpu' },
    { it: 'a URL without a scheme', argv: ['--url', 'berth:8888'], says: 'is not an http or https URL' },
    { it: 'a URL with a space', argv: ['--url', 'https://a b'], says: 'is not an http or https URL' },
    {
      it: 'a URL with a password, which it hides',
      argv: ['--url', 'http://me:secret@10.0.0.1'],
      says: 'http://…@10.0.0.1',
    },
    { it: 'plain HTTP on the network', argv: ['--url', 'http://10.0.0.1:8888'], says: 'use https' },
  ])('refuses $it', async ({ argv, says }) => {
    await expect(wire(argv)).rejects.toMatchObject({
      code: 'BERTH_KUBECTL_USAGE',
      message: expect.stringContaining(says) as string,
    })
  })

  test('names the certificate and the settings that the URL and the flags need', async () => {
    const secure = (await wire(['--bind'])).notes()
    expect(secure).toContain('must be in allowedClientNames of the extender')
    expect(secure).toContain('bind: true\n')
    const plain = (await wire(['--url', 'http://127.0.0.1:8888'])).notes()
    expect(plain).not.toContain('tls.crt')
  })

  test('prints the configuration and the patch of the static pod for kubeadm', async () => {
    const terminal = await wire(['--format', 'kubeadm', '--resource', 'example.com/a'])
    const [config, patch] = parseAllDocuments(terminal.output()).map((document) => document.toJS() as unknown)
    expect(config).toMatchObject({ clientConnection: { kubeconfig: '/etc/kubernetes/scheduler.conf' } })
    expect(patch).toContainEqual({
      op: 'add',
      path: '/spec/containers/0/command/-',
      value: '--config=/etc/kubernetes/berth/scheduler.yaml',
    })
    expect(terminal.output()).toContain('# /etc/kubernetes/berth/patches/kube-scheduler0+json.yaml')
  })

  test('prints a kind configuration that mounts the files and names the patches', async () => {
    const terminal = await wire(['--format', 'kind', '--resource', 'example.com/a'])
    const cluster = parseAllDocuments(terminal.output()).at(-1)?.toJS() as {
      readonly nodes: readonly { readonly kubeadmConfigPatches: readonly [string]; readonly extraMounts: unknown }[]
    }
    const [node] = cluster.nodes
    expect(node?.extraMounts).toEqual([{ hostPath: './berth', containerPath: '/etc/kubernetes/berth', readOnly: true }])
    expect(parse(node?.kubeadmConfigPatches[0] ?? '')).toEqual({
      kind: 'InitConfiguration',
      patches: { directory: '/etc/kubernetes/berth/patches' },
    })
  })

  const good = 'urlPrefix: "https://e:1", filterVerb: filter, nodeCacheCapable: true, httpTimeout: 2s'
  const tls = 'tlsConfig: { caFile: c, certFile: a, keyFile: b }'
  const managed = 'managedResources: [{ name: example.com/a }]'
  const ignored = 'managedResources: [{ name: example.com/a, ignoredByScheduler: true }]'
  test.for([
    {
      it: 'whole nodes',
      entry: `{ urlPrefix: "https://e:1", filterVerb: filter, httpTimeout: 2s, ${tls}, ${managed} }`,
      says: 'error: extenders[0].nodeCacheCapable: kube-scheduler sends whole nodes',
    },
    {
      it: 'an ignored resource without bind',
      entry: `{ ${good}, ${tls}, ${ignored} }`,
      says: 'error: extenders[0].managedResources[0].ignoredByScheduler: two pods could get the last unit',
    },
    {
      it: 'an ignorable extender of an ignored resource',
      entry: `{ ${good}, ${tls}, ${ignored}, bindVerb: bind, ignorable: true }`,
      says: 'error: extenders[0].ignorable: nothing counts example.com/a',
    },
    {
      it: 'no client certificate',
      entry: `{ ${good}, ${managed} }`,
      says: 'error: extenders[0].tlsConfig: the extender refuses callers without a client certificate',
    },
    {
      it: 'plain HTTP on the network',
      entry: `{ ${good.replace('https', 'http')}, ${managed} }`,
      says: 'error: extenders[0].urlPrefix: any host on the network',
    },
  ])('finds $it', async ({ entry, says }) => {
    const terminal = testTerminal({ f: file(entry) })
    const run = wireCommand.run(
      {
        words: [],
        text: (flag) => (flag === 'check' ? 'f' : undefined),
        texts: () => [],
        number: () => undefined,
        has: () => false,
      },
      { terminal } as never,
    )
    await expect(run).rejects.toMatchObject({ code: 'BERTH_KUBECTL_WIRING' })
    expect(terminal.output()).toContain(says)
  })

  test.for([
    {
      it: 'a timeout that is too long',
      entry: `{ ${good.replace('2s', '30s')}, ${tls}, ${managed} }`,
      says: '.httpTimeout: an',
    },
    {
      it: 'a timeout that is too short',
      entry: `{ ${good.replace('2s', '500ms')}, ${tls}, ${managed} }`,
      says: '.httpTimeout: 500ms',
    },
    {
      it: 'no managed resources',
      entry: `{ ${good}, ${tls} }`,
      says: '.managedResources: the extender is called for every pod',
    },
    {
      it: 'an ignorable extender',
      entry: `{ ${good}, ${tls}, ${managed}, ignorable: true }`,
      says: '.ignorable: pods are placed',
    },
  ])('warns of $it', async ({ entry, says }) => {
    const terminal = await wire(['--check', 'f'], { f: file(entry) })
    expect(terminal.output()).toContain(`warning: extenders[0]${says}`)
  })
})
