import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { generate } from 'selfsigned'
import type { FloorCase } from './floor-case.ts'

/** The stub server in a process of its own. */
export interface StubServer extends AsyncDisposable, Pick<FloorCase, 'server' | 'ca' | 'authorization'> {}

/** Starts the stub server with a new certificate. */
export async function startStubServer(): Promise<StubServer> {
  const dir = mkdtempSync(join(tmpdir(), 'berth-stub-server-'))
  const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    keySize: 2048,
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  })
  const files = [join(dir, 'key.pem'), join(dir, 'cert.pem')] as const
  writeFileSync(files[0], key, { mode: 0o600 })
  writeFileSync(files[1], cert)
  const child = spawn(process.execPath, [join(import.meta.dirname, 'stub-server.ts'), ...files], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [port] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return {
    server: `https://127.0.0.1:${port}`,
    ca: cert,
    authorization: 'Bearer stub',
    async [Symbol.asyncDispose]() {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
