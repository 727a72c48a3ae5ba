import { chmod, copyFile, mkdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { artefactOf, type Artefact } from '../artefact.ts'
import { gzipFile, tarFolder } from '../pack-folder.ts'
import { elfMachine } from './elf-machine.ts'
import { runProgram } from '../run-program.ts'
import { ReleaseError, type ReleaseContext, type ReleaseStep } from '../step.ts'
import { buildExecutable } from './build-executable.ts'
import { readCodeSignature } from './code-signature.ts'
import { nodeBinary, nodeLicence } from './node-binary.ts'
import { signForMacos } from './sign-for-macos.ts'
import { hostTarget, targetName, targets, type Target } from './targets.ts'

/** Returns the file name of the archive with the executable of a platform. */
export function archiveName(version: string, target: Target): string {
  return `kubectl-berth_${version}_${targetName(target)}.tar.gz`
}

/** Builds the executables of kubectl-berth: one archive for each platform. */
export const executablesStep: ReleaseStep = {
  name: 'executables',
  summary: 'kubectl-berth with Node inside, for each platform',
  async build(context) {
    const artefacts: Artefact[] = []
    for (const target of targets) {
      context.log(`executable for ${targetName(target)}`)
      artefacts.push(await buildArchive(target, context))
    }
    return artefacts
  },
  async check(context) {
    const checked: string[] = []
    for (const target of targets) checked.push(`${targetName(target)}: ${await checkArchive(target, context)}`)
    return checked
  },
}

async function buildArchive(target: Target, context: ReleaseContext): Promise<Artefact> {
  const { root, out, workDir, cacheDir, version, epochSeconds } = context
  const folder = join(workDir, targetName(target))
  await mkdir(folder, { recursive: true })
  const program = join(folder, target.program)
  const node = await nodeBinary(target, cacheDir)
  await buildExecutable({ bundle: join(root, 'apps/kubectl-berth/dist/main.js'), node, output: program })
  await chmod(program, 0o755)
  if (target.os === 'darwin') await signForMacos(program, 'kubectl-berth')
  await copyFile(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  await copyFile(join(root, 'apps/kubectl-berth/dist/NOTICES.txt'), join(folder, 'NOTICES'))
  await copyFile(nodeLicence, join(folder, 'LICENSE.node'))
  for (const name of ['LICENSE', 'LICENSE.node', 'NOTICES']) await chmod(join(folder, name), 0o644)
  const tar = join(workDir, 'archive.tar')
  await tarFolder(folder, tar, epochSeconds)
  await rm(folder, { recursive: true })
  const archive = join(out, archiveName(version, target))
  await rename(await gzipFile(tar), archive)
  return await artefactOf(archive, { note: `${target.os}/${target.arch}` })
}

/** Unpacks an archive and checks the program in it as far as this machine can. */
async function checkArchive(target: Target, { out, workDir, version }: ReleaseContext): Promise<string> {
  const folder = join(workDir, `unpacked-${targetName(target)}`)
  await mkdir(folder, { recursive: true })
  await runProgram('tar', ['-xzf', join(out, archiveName(version, target)), '-C', folder])
  try {
    const program = join(folder, target.program)
    if (target.os === 'darwin') {
      const signature = readCodeSignature(await readFile(program))
      if (signature?.isAdHoc !== true || signature.problems.length > 0)
        throw new ReleaseError(`${program}: ${signature?.problems.join('; ') ?? 'not signed'}`)
      return `signed ad hoc, ${signature.pages} pages match their hashes; not run`
    }
    if (target.os === 'linux' && (await elfMachine(program)) !== target.arch)
      throw new ReleaseError(`${program} is not for ${target.arch}`)
    if (target !== hostTarget(process))
      return target.os === 'linux' ? `a program for ${target.arch}; not run` : 'not run'
    const { stdout } = await runProgram(program, ['version'], { env: { PATH: '/nonexistent' } })
    if (stdout.trim() !== `kubectl-berth ${version}`) throw new ReleaseError(`${program} version: ${stdout.trim()}`)
    return 'runs without Node on the PATH'
  } finally {
    await rm(folder, { recursive: true })
  }
}
