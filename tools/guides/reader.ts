import { execFile, execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { helmBinary, kubectlBinary } from '@berth/testing'
import { imageArchiveName } from '../release/images/images-step.ts'
import { releasedVersion } from '../release/released-version.ts'

/** The result of a command of a guide. */
export interface CommandResult {
  readonly status: number
  readonly output: string
}

/**
 * Runs the commands of a guide as its reader would: in a folder that looks like a checkout. Disposing deletes the
 * folder.
 */
export interface Reader extends AsyncDisposable {
  readonly folder: string
  write(path: string, text: string): Promise<void>
  /**
   * Runs a block in a shell that stops at the first failure.
   *
   * @param until - Text in the output after which a program that runs forever is stopped.
   */
  run(script: string, until?: string): Promise<CommandResult>
}

/** Replaces a container engine: it accepts `build` when everything that the Dockerfile copies exists, and `push`. */
const engine = `const { existsSync, readFileSync } = require('node:fs')
const [verb] = process.argv.slice(2)
if (verb === 'push') process.exit(0)
if (verb !== 'build') { console.error('unexpected docker ' + verb); process.exit(1) }
for (const [, from] of readFileSync('Dockerfile', 'utf8').matchAll(/^COPY (\\S+) /gm)) {
  if (!existsSync(from)) { console.error('COPY ' + from + ': no such file'); process.exit(1) }
}`

/** Replaces `skopeo copy`: it accepts the archive of a release with its tag, and a registry. */
const skopeo = (version: string): string => `const [verb, all, from, to] = process.argv.slice(2)
const archive = ${JSON.stringify(`oci-archive:${imageArchiveName(version)}:${version}`)}
if (verb !== 'copy' || all !== '--all' || from !== archive || !/^docker:.+:${version}$/.test(to)) {
  console.error('unexpected skopeo ' + process.argv.slice(2).join(' '))
  process.exit(1)
}`

/** Replaces `kube-scheduler --write-config-to FILE`: it writes what the real one wrote. */
const kubeScheduler = (root: string): string => `const args = process.argv.slice(2)
const target = args[args.indexOf('--write-config-to') + 1]
require('node:fs').copyFileSync(${JSON.stringify(join(root, 'apps/scheduler/test/kube-scheduler-config/1.36.yaml'))}, target)`

/** Replaces `npm run`: the script must exist, and its help must list every flag. Other commands are npm's own. */
const npm = (root: string): string => `const { spawnSync } = require('node:child_process')
const [verb, script, ...flags] = process.argv.slice(2)
const path = process.env.PATH.split(':').slice(1).join(':')
const run = (args, options) => spawnSync('npm', args, { encoding: 'utf8', env: { ...process.env, PATH: path }, ...options })
if (verb !== 'run') process.exit(run(process.argv.slice(2), { stdio: 'inherit' }).status ?? 1)
const help = run(['run', script, '--', '--help'], { cwd: ${JSON.stringify(root)}, env: { ...process.env, PATH: path, HOME: ${JSON.stringify(homedir())} } })
const missing = flags.filter((flag) => /^--./.test(flag) && !help.stdout.includes(flag))
if (help.status !== 0 || missing.length > 0) { console.error(help.stderr + 'no such script or flag: ' + missing); process.exit(1) }`

/** Creates a reader for the cluster of a kubeconfig. */
export async function createReader(root: string, kubeconfig: string): Promise<Reader> {
  const home = await mkdtemp(join(tmpdir(), 'berth-guide-'))
  const folder = join(home, 'work')
  const bin = join(home, 'bin')
  const node = process.execPath
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  await mkdir(join(home, '.kube'))
  await writeFile(join(home, '.kube/config'), kubeconfig)
  await mkdir(folder)
  for (const name of ['apps', 'charts']) await symlink(join(root, name), join(folder, name))
  // A folder of its own, so that a guide that writes to it does not change the checkout.
  await mkdir(join(folder, 'plugins'))
  for (const name of await readdir(join(root, 'plugins'))) {
    await symlink(join(root, 'plugins', name), join(folder, 'plugins', name))
  }
  for (const [name, target] of [
    ['@berth/plugin-api', 'packages/plugin-api'],
    ['@types/node', 'node_modules/@types/node'],
    ['zod', 'packages/plugin-api/node_modules/zod'],
  ] as const) {
    await mkdir(dirname(join(folder, 'node_modules', name)), { recursive: true })
    await symlink(join(root, target), join(folder, 'node_modules', name))
  }
  await mkdir(bin)
  await writeFile(join(bin, 'docker.cjs'), engine)
  await writeFile(join(bin, 'npm.cjs'), npm(root))
  await writeFile(join(bin, 'skopeo.cjs'), skopeo(releasedVersion(root)))
  await writeFile(join(bin, 'kube-scheduler.cjs'), kubeScheduler(root))
  const main = join(root, 'apps/kubectl-berth/src/main.ts')
  const programs = {
    docker: `"${node}" "${bin}/docker.cjs"`,
    npm: `"${node}" "${bin}/npm.cjs"`,
    skopeo: `"${node}" "${bin}/skopeo.cjs"`,
    'kube-scheduler': `"${node}" "${bin}/kube-scheduler.cjs"`,
    helm: absolute(await helmBinary()),
    kubectl: absolute(await kubectlBinary()),
    'kubectl-berth': `"${node}" -C @berth/source "${main}"`,
  }
  for (const [name, command] of Object.entries(programs)) {
    await writeFile(join(bin, name), `#!/bin/sh\nexec ${command} "$@"\n`)
    await chmod(join(bin, name), 0o755)
  }
  const env = {
    ...process.env,
    PATH: `${bin}:${dirname(node)}:${process.env['PATH'] ?? ''}`,
    HOME: home,
    NO_COLOR: '1',
    KUBECONFIG: undefined,
    VITEST: undefined,
  }
  return {
    folder,
    write,
    run: (script, until) => runShell(script, { cwd: folder, env, until }),
    [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }),
  }
}

/** Returns the path of a program, because its name alone is that of the script that starts it. */
function absolute(program: string): string {
  return execFileSync('sh', ['-c', 'command -v "$0"', program], { encoding: 'utf8' }).trim()
}

function runShell(
  script: string,
  { cwd, env, until }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly until: string | undefined },
): Promise<CommandResult> {
  return new Promise((resolve) => {
    let output = ''
    let isDone = false
    // A program that runs forever replaces the shell, so that it gets the signal.
    const text = until === undefined ? script : `exec ${script}`
    const child = execFile(
      'sh',
      ['-euc', text],
      { cwd, env, timeout: 150_000, maxBuffer: 16 * 1024 * 1024 },
      (error) => {
        const status = error === null || isDone ? 0 : typeof error.code === 'number' ? error.code : 1
        resolve({ status, output })
      },
    )
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (part: string) => {
        output += part
        if (until !== undefined && !isDone && output.includes(until)) {
          isDone = true
          child.kill('SIGTERM')
        }
      })
    }
  })
}
