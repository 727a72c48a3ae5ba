import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCommand, type CommandResult } from '../cluster/run-command.ts'

const MAKE_OUTPUT = 'while [ $# -gt 1 ]; do [ "$1" = -o ] && { : > "$2"; chmod +x "$2"; }; shift; done'

let dir = ''
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'berth-node-image-'))
  // Makes the file after -o; a module is what its folder is.
  putProgram('go', MAKE_OUTPUT)
  putProgram('docker', 'echo "$*" >> "$0.calls"; [ "$1" = info ]')
  putProgram('debootstrap', 'exit 0')
})
afterEach(() => rmSync(dir, { recursive: true }))

function putProgram(name: string, script: string): void {
  writeFileSync(join(dir, name), `#!/bin/bash\n${script}\n`)
  chmodSync(join(dir, name), 0o755)
}

const build = (...args: readonly string[]): Promise<CommandResult> =>
  runCommand(join(import.meta.dirname, 'build-node-image'), args, {
    env: { PATH: `${dir}:/usr/bin:/bin`, KIND_OFFLINE_CACHE: join(dir, 'cache') },
  })

test('the tools alone need no container engine; each step has a number, and none is done twice', async () => {
  const binaries = ['kind', 'kubectl', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'etcd']
  const steps = binaries.map((name, i) => `step ${i + 1}: building ${name}\n`)
  expect(await build('--tools-only')).toEqual({ status: 0, stdout: steps.join(''), stderr: '' })
  expect(await build('--tools-only')).toEqual({ status: 0, stdout: '', stderr: '' })
  expect(existsSync(join(dir, 'docker.calls'))).toBe(false)
})

test('a binary whose recipe has changed is built again, and no other', async () => {
  await build('--tools-only')
  writeFileSync(join(dir, 'cache', 'bin', 'etcd.recipe'), 'of another version\n')
  expect(await build('--tools-only')).toEqual({ status: 0, stdout: 'step 1: building etcd\n', stderr: '' })
  expect(await build('--tools-only')).toEqual({ status: 0, stdout: '', stderr: '' })
})

test('another version of Kubernetes has programs of its own, and shares the others', async () => {
  await build('--tools-only')
  const { status, stdout } = await build('--kubernetes', '1.34', '--tools-only')
  const own = ['kubectl', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler']
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: own.map((name, i) => `step ${i + 1}: building ${name}\n`).join(''),
  })
  for (const name of [...own, 'kind', 'etcd']) expect(existsSync(join(dir, 'cache', 'bin-1.34', name))).toBe(true)
  expect(await build('--kubernetes', '1.34', '--tools-only')).toEqual({ status: 0, stdout: '', stderr: '' })
  expect(await build('--tools-only')).toEqual({ status: 0, stdout: '', stderr: '' })
})

test('a version of Kubernetes without a module is refused', async () => {
  const { status, stderr } = await build('--kubernetes', '1.20', '--tools-only')
  expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining('modules/kubernetes-1.20/go.mod') })
})

test('an image that was made from the same files is not built again; one made from others is', async () => {
  mkdirSync(join(dir, 'kind', 'images', 'base', 'files'), { recursive: true })
  putProgram('go', `[ "$1" = list ] && echo ${dir}/kind; ${MAKE_OUTPUT}`)
  // Keeps the label that an image is committed with, and has loaded every image of the control plane.
  putProgram(
    'docker',
    `case "$1 $*" in
       commit*) for word; do case $word in LABEL*) echo "\${word#*=}" > "$0.label" ;; esac; done ;;
       image*) cat "$0.label" ;;
       import*) cat > /dev/null ;;
       exec*'ls -q') for i in $(seq 7); do echo registry.k8s.io/$i; done ;;
     esac`,
  )
  const built = { status: 0, stdout: expect.stringMatching(/\nbuilt berth-kind-node:here\n$/) }
  const there = { status: 0, stdout: expect.stringMatching(/^berth-kind-node:here is there\n$/) }
  expect(await build('berth-kind-node:here')).toMatchObject(built)
  expect(await build('berth-kind-node:here')).toMatchObject(there)
  writeFileSync(join(dir, 'docker.label'), 'of another recipe\n')
  expect(await build('berth-kind-node:here')).toMatchObject(built)
  expect(await build('berth-kind-node:here')).toMatchObject(there)
})

test('a step that fails is named, with the last lines of what it printed', async () => {
  putProgram('debootstrap', 'for i in $(seq 99); do echo "line $i"; done; echo "no such mirror" >&2; exit 7')
  const { status, stdout, stderr } = await build()
  expect(status).toBe(1)
  const [, step] = /^step (\d+): bootstrapping Debian$/m.exec(stdout) ?? []
  expect(stderr).toContain(`build-node-image: step ${step} failed, exit 7: debootstrap `)
  expect(stderr).toMatch(/\nline 99\nno such mirror\n$/)
  expect(stderr).not.toContain('line 80\n')
  expect(readFileSync(join(dir, 'docker.calls'), 'utf8')).not.toContain('import')
})

test('without Go it says what to install', async () => {
  rmSync(join(dir, 'go'))
  const { status, stdout, stderr } = await build('--tools-only')
  expect({ status, stdout, stderr }).toEqual({
    status: 2,
    stdout: '',
    stderr: expect.stringContaining('install Go 1.26'),
  })
})
