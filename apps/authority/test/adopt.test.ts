import { createSecretStore } from '../src/secrets/secret-store.ts'
import { adoptSecrets } from '../src/secrets/adopt-secrets.ts'
import { silentLogger } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { startAuthorityCluster, type AuthorityCluster } from './authority-cluster.ts'

const PAIRS = [
  { from: 'berth-extender-server', to: 'berth-authority-server' },
  { from: 'berth-extender-client', to: 'berth-authority-client' },
] as const
const [SERVER, CLIENT] = PAIRS

function adopt({ client }: AuthorityCluster): Promise<readonly string[]> {
  const signal = new AbortController().signal
  const options = { client, namespace: 'berth-system', owner: undefined, mayWrite: () => true, signal }
  return adoptSecrets(PAIRS, { store: createSecretStore(options), log: silentLogger })
}

/** The data of a Secret that another source filled. */
const filled = (side: string) => ({
  'ca.crt': `ca of ${side}`,
  'tls.crt': `cert of ${side}`,
  'tls.key': `key of ${side}`,
})

describe('certificates of another source', () => {
  test('are copied into the Secrets of server and client, without other keys', async () => {
    const cluster = await startAuthorityCluster()
    await cluster.change(SERVER.from, { ...filled('server'), 'tls-combined.pem': 'x' })
    await cluster.change(CLIENT.from, filled('client'))
    expect(await adopt(cluster)).toEqual([SERVER.to, CLIENT.to])
    expect(await cluster.data(SERVER.to)).toEqual(filled('server'))
    expect(await cluster.data(CLIENT.to)).toEqual(filled('client'))
  })

  test('do not replace those that an earlier attempt copied, or that the authority issued', async () => {
    const cluster = await startAuthorityCluster()
    await cluster.change(SERVER.from, filled('server'))
    await cluster.change(CLIENT.from, filled('client'))
    await cluster.change(SERVER.to, filled('another server'))
    expect(await adopt(cluster)).toEqual([CLIENT.to])
    expect(await cluster.data(SERVER.to)).toEqual(filled('another server'))
    expect(await adopt(cluster)).toEqual([])
  })

  test.for([
    { what: 'is missing', client: undefined },
    { what: 'has no key', client: { ...filled('client'), 'tls.key': '' } },
  ])('are not copied when one of the two $what, because they belong together', async ({ client }) => {
    const cluster = await startAuthorityCluster()
    await cluster.change(SERVER.from, filled('server'))
    if (client !== undefined) await cluster.change(CLIENT.from, client)
    expect(await adopt(cluster)).toEqual([])
    expect(await cluster.data(SERVER.to)).toBeUndefined()
  })
})
