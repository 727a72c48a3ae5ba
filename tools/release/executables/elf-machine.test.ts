import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hostTarget } from './targets.ts'
import { elfMachine } from './elf-machine.ts'

function elf(machine: number): Buffer {
  const header = Buffer.alloc(64)
  header.write('\u007FELF', 'latin1')
  header.writeUInt16LE(machine, 18)
  return header
}

test.for([
  { file: 'x86-64', bytes: elf(62), machine: 'amd64' },
  { file: 'aarch64', bytes: elf(183), machine: 'arm64' },
  { file: 'riscv', bytes: elf(243), machine: 'unknown' },
  { file: 'text', bytes: Buffer.from('#!/usr/local/bin/node\nimport "/app/main.js"\n'), machine: undefined },
  { file: 'empty', bytes: Buffer.alloc(0), machine: undefined },
])('the machine of a file with the contents of $file is $machine', async ({ bytes, machine }) => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-elf-'))
  await writeFile(join(folder, 'file'), bytes)
  expect(await elfMachine(join(folder, 'file'))).toBe(machine)
  await rm(folder, { recursive: true })
})

test.runIf(process.platform === 'linux')('Node itself is for the architecture of this machine', async () => {
  expect(await elfMachine(process.execPath)).toBe(hostTarget(process)?.arch)
})
