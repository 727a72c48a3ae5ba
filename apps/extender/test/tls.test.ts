import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
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

const refusedConnection = /alert|disconnected|self-signed|hang up|ECONNRESET|EPIPE|unsupported/

test('accepts only TLS 1.3, and only allowed names of the CA, as common name or DNS name', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'berth-tls-'))
  try {
    const [server, caller] = await Promise.all(['server', 'node-7'].map((name) => selfSigned(name)))
    if (!server || !caller) throw new Error('no certificates')
    const flags = filesIn(dir, server, caller)
    const body = { Pod: { metadata: { name: 'web' }, spec: { containers: [] } }, NodeNames: [] }
    const tls = { ca: server.cert, ...caller }
    await using strict = await startTestExtender({ servingMode: chooseServingMode(flags) })
    const refused = await post(strict.address, '/filter', body, { tls })
    expect(refused.status).toBe(403)
    expect(refused.json()).toEqual({
      Error: 'forbidden: the client certificate is for node-7, and allowedClientNames has kube-scheduler',
    })
    await expect(post(strict.address, '/filter', body, { tls: { ...tls, maxVersion: 'TLSv1.2' } })).rejects.toThrow(
      refusedConnection,
    )
    await using open = await startTestExtender({
      servingMode: chooseServingMode(flags),
      allowedClientNames: ['node-7'],
    })
    expect((await post(open.address, '/filter', body, { tls })).status).toBe(200)
  } finally {
    rmSync(dir, { recursive: true })
  }
})

/** Sends one call over the connection of the agent and returns the status. */
function callOn(agent: Agent, address: string, body: unknown): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    const call = request(`https://${address}/filter`, { method: 'POST', agent, headers }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode))
    })
    call.on('error', reject)
    call.end(JSON.stringify(body))
  })
}

test('accepts only callers with a certificate of the CA, and reloads rotated certificates', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'berth-tls-'))
  try {
    const [server, caller, stranger, renewed] = await Promise.all(
      ['server', 'kube-scheduler', 'stranger', 'renewed'].map((name) => selfSigned(name)),
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
    const agent = new Agent({ ...trusting, ...caller, keepAlive: true, maxSockets: 1 })
    const held = await callOn(agent, extender.address, body)
    await extender.clock.advance(30_000)
    // A connection from before the rotation still serves calls.
    expect([held, await callOn(agent, extender.address, body)]).toEqual([200, 200])
    agent.destroy()
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
