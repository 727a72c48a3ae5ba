import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generate } from 'selfsigned'
import { expect, test } from 'vitest'
import { chooseServingMode } from '../src/serving-mode.ts'
import { post, startTestExtender } from './test-extender.ts'

interface Keys {
  readonly cert: string
  readonly key: string
}

/** Creates a self-signed certificate, which is its own CA. */
async function selfSigned(commonName: string): Promise<Keys> {
  const names = [{ type: 7, ip: '127.0.0.1' }] as const
  const pems = await generate([{ name: 'commonName', value: commonName }], {
    keySize: 2048,
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [...names] },
    ],
  })
  return { cert: pems.cert, key: pems.private }
}

function filesIn(dir: string, server: Keys, caller: Keys): Parameters<typeof chooseServingMode>[0] {
  const paths = {
    tlsCertFile: join(dir, 'tls.crt'),
    tlsPrivateKeyFile: join(dir, 'tls.key'),
    clientCaFile: join(dir, 'ca.crt'),
  }
  writeFileSync(paths.tlsCertFile, server.cert)
  writeFileSync(paths.tlsPrivateKeyFile, server.key)
  writeFileSync(paths.clientCaFile, caller.cert)
  return { listen: '127.0.0.1:0', insecureHttp: false, insecureAnywhere: false, ...paths }
}

test('accepts only callers with a certificate of the CA, and reloads rotated certificates', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'berth-tls-'))
  try {
    const [server, caller, stranger, renewed] = await Promise.all(
      ['server', 'caller', 'stranger', 'renewed'].map((name) => selfSigned(name)),
    )
    if (!server || !caller || !stranger || !renewed) throw new Error('no certificates')
    const flags = filesIn(dir, server, caller)
    await using extender = await startTestExtender({ servingMode: chooseServingMode(flags) })
    await extender.createNode('node-a', {})
    await extender.settle()
    const body = { Pod: { metadata: { name: 'web' }, spec: { containers: [] } }, NodeNames: ['node-a'] }
    const trusting = { ca: server.cert }

    const answer = await post(extender.address, '/filter', body, { tls: { ...trusting, ...caller } })
    expect(answer.json()).toMatchObject({ NodeNames: ['node-a'], Error: '' })
    await expect(post(extender.address, '/filter', body, { tls: trusting })).rejects.toThrow(
      /alert|disconnected|self-signed|hang up|ECONNRESET|EPIPE/,
    )
    await expect(post(extender.address, '/filter', body, { tls: { ...trusting, ...stranger } })).rejects.toThrow(
      /alert|disconnected|self-signed|hang up|ECONNRESET|EPIPE/,
    )

    filesIn(dir, renewed, caller)
    await extender.clock.advance(30_000)
    expect(extender.lines.map(({ message }) => message)).toContain('Reloaded certificates')
    const after = await post(extender.address, '/filter', body, { tls: { ca: renewed.cert, ...caller } })
    expect(after.json()).toMatchObject({ NodeNames: ['node-a'] })
    await expect(post(extender.address, '/filter', body, { tls: { ...trusting, ...caller } })).rejects.toThrow(
      /alert|disconnected|self-signed|hang up|ECONNRESET|EPIPE/,
    )

    writeFileSync(join(dir, 'tls.crt'), 'half a certif')
    await extender.clock.advance(30_000)
    const still = await post(extender.address, '/filter', body, { tls: { ca: renewed.cert, ...caller } })
    expect(still.json()).toMatchObject({ NodeNames: ['node-a'] })
  } finally {
    rmSync(dir, { recursive: true })
  }
})
