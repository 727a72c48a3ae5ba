import { chmod, copyFile, mkdir, rm, writeFile } from 'node:fs/promises'
import { existsSync, globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { unpackPackage } from '../../debian/apt-packages.ts'
import { nodeBinary, nodeLicence } from '../executables/node-binary.ts'
import { targets, type Target } from '../executables/targets.ts'
import { runProgram } from '../run-program.ts'
import type { ReleaseContext } from '../step.ts'
import { downloadBase, releaseBase } from './debian-package.ts'
import { appFiles, kubeSchedulerText } from './image-spec.ts'

const passwd = 'root:x:0:0:root:/root:/nonexistent\nnonroot:x:65532:65532:nonroot:/nonexistent:/nonexistent\n'
const group = 'root:x:0:\nnonroot:x:65532:\n'
/** Files of the packages that a program in the image needs: no shell, no tools. Licences stay. */
const kept = [
  'bin',
  'sbin',
  'lib',
  'lib64',
  'usr/lib',
  'usr/lib64',
  'usr/share/doc',
  'etc/os-release',
  'etc/debian_version',
]

/** Fills a folder with the Debian packages of the release base, and what scanners read about them. */
export async function fillBase(folder: string, arch: Target['arch'], { cacheDir }: ReleaseContext): Promise<void> {
  const whole = `${folder}.whole`
  const debs = await downloadBase(arch, cacheDir)
  await mkdir(join(folder, 'var/lib/dpkg/status.d'), { recursive: true })
  for (const [i, deb] of debs.entries()) {
    await unpackPackage(deb, whole)
    const name = releaseBase.packages[i]?.name ?? ''
    await writeFile(
      join(folder, 'var/lib/dpkg/status.d', name),
      (await runProgram('dpkg-deb', ['--field', deb])).stdout,
    )
  }
  const unneeded = ['usr/lib/*/gconv', 'usr/lib/*/audit', 'usr/share/doc/*/!(copyright)']
  for (const path of globSync(unneeded, { cwd: whole })) await rm(join(whole, path), { recursive: true })
  const present = kept.filter((path) => existsSync(join(whole, path)) || globSync(path, { cwd: whole }).length > 0)
  await runProgram('cp', ['--archive', '--parents', ...present, folder], { cwd: whole })
  await rm(whole, { recursive: true })
  await mkdir(join(folder, 'etc'), { recursive: true })
  await writeFile(join(folder, 'etc/passwd'), passwd)
  await writeFile(join(folder, 'etc/group'), group)
  await mkdir(join(folder, 'tmp'))
  await chmod(join(folder, 'tmp'), 0o1777)
}

/** Fills a folder with Node. */
export async function fillNode(folder: string, arch: Target['arch'], { cacheDir }: ReleaseContext): Promise<void> {
  const target = targets.find((one) => one.os === 'linux' && one.arch === arch)
  if (target === undefined) throw new Error(`there is no Node for ${arch}`)
  await write(folder, 'usr/local/bin/node', 0o755, async (path) => copyFile(await nodeBinary(target, cacheDir), path))
  await write(folder, 'usr/share/doc/nodejs/copyright', 0o644, (path) => copyFile(nodeLicence, path))
}

/** Fills a folder with the bundles of all apps, and the notices of what is in them. */
export async function fillApps(folder: string, { root }: ReleaseContext): Promise<void> {
  for (const [source, target] of appFiles)
    await write(folder, join('app', target), 0o644, (path) => copyFile(join(root, source), path))
  await write(folder, 'app/package.json', 0o644, (path) => writeFile(path, '{"type":"module"}\n'))
}

/** Fills a folder with the command kube-scheduler. */
export async function fillKubeScheduler(folder: string): Promise<void> {
  await write(folder, 'usr/local/bin/kube-scheduler', 0o755, (path) => writeFile(path, kubeSchedulerText))
}

async function write(folder: string, path: string, mode: number, fill: (path: string) => Promise<void>): Promise<void> {
  const file = join(folder, path)
  await mkdir(dirname(file), { recursive: true })
  await fill(file)
  await chmod(file, mode)
}
