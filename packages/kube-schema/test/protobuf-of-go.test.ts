import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSchema, groupVersions } from '../src/index.ts'
import { createMessageDecoder, encodeEnvelope, readEnvelope } from '../src/protobuf/index.ts'

/** Folder with every kind of the API in JSON and protobuf, every field set, as Kubernetes' own tests store them. */
const dir = samplesDir()
const schema = createSchema(Object.values(groupVersions))

function samplesDir(): string | undefined {
  try {
    const found = execFileSync('go', ['list', '-m', '-f', '{{.Dir}}', 'k8s.io/api'], {
      cwd: join(import.meta.dirname, '..', 'generator'),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim()
    const samples = join(found, 'testdata', 'HEAD')
    if (existsSync(samples)) return samples
  } catch (error) {
    process.stderr.write(`SKIPPED comparison with Go's protobuf: ${String(error)}\n`)
  }
  return undefined
}

test.runIf(dir !== undefined)('every kind with every field has the JSON and the protobuf that Go writes', () => {
  const compared: string[] = []
  for (const file of readdirSync(dir ?? '').filter((name) => name.endsWith('.pb'))) {
    const bytes = readFileSync(join(dir ?? '', file))
    const { apiVersion, kind, message } = readEnvelope(bytes)
    const type = schema.kind(apiVersion, kind)?.type
    // The schema has the stable versions.
    if (type === undefined) continue
    const json: unknown = JSON.parse(readFileSync(join(dir ?? '', file.replace(/pb$/, 'json')), 'utf8'))
    const decode = (from: Uint8Array): object => ({ apiVersion, kind, ...createMessageDecoder(type)(from) })
    expect({ file, object: decode(message) }).toEqual({ file, object: json })
    const encoded = encodeEnvelope({ type, apiVersion, kind }, json as object)
    expect({ file, again: decode(readEnvelope(encoded).message) }).toEqual({ file, again: json })
    compared.push(`${apiVersion} ${kind}`)
  }
  expect(compared).toEqual(expect.arrayContaining(['v1 Pod', 'v1 Node', 'v1 Binding', 'events.k8s.io/v1 Event']))
  expect(compared.length).toBeGreaterThan(70)
})
