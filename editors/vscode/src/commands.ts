import * as vscode from 'vscode';
import type { AssemblyPages } from './assembly';
import { explanation } from './explanation';
import { chooseFolder } from './folders';
import { isMoved, type KernelTree, type Node } from './kernels';
import type { Answer, Argument, Kernel, Kernels, Sheet } from './protocol';
import type { Session } from './session';
import { settingsFor } from './settings';
import { showMenu } from './statusbar';
import { page } from './why';

/** What a command was called with: the server's own argument from a lens or code action, a node of the view, or nothing. */
type Given = Argument | Node | undefined;

/** How the palette asks for what the server's command needs; undefined if the user gave up. */
type Ask = (session: Session, argument: Argument) => Promise<Argument | undefined>;

const asIs: Ask = async (_, argument) => argument;

/** The commands that the server runs, with what each must be told. */
const serverCommands: Record<string, Ask> = {
  'isadiff.snapshotBaseline': asIs,
  'isadiff.undoBaseline': asIs,
  'isadiff.acceptRegression': acceptWithReason,
  'isadiff.acceptKernel': chooseKernel('Which kernel\'s new figures go into the baseline?', isMoved),
  'isadiff.showReport': asIs,
  'isadiff.showIsa': chooseKernel('Whose ISA?', kernel => kernel.isa !== undefined),
  'isadiff.assembly': chooseKernel('Whose assembly?', kernel => kernel.isa !== undefined),
  'isadiff.compareAssembly': chooseKernel('Whose assembly?', kernel => kernel.isa !== undefined),
  'isadiff.explain': chooseCode,
  'isadiff.why': chooseKernel('Why did which kernel change?', isMoved),
  'isadiff.rescan': asIs,
  'isadiff.capture': asIs,
  'isadiff.compare': chooseRevision,
  'isadiff.removeLeftover': asIs,
  'isadiff.newestCounts': asIs,
  'isadiff.mapPath': asIs,
  'isadiff.pair': asIs,
  'isadiff.tolerate': asIs,
  'isadiff.setCompile': asIs,
  'isadiff.showBudget': asIs,
};

export function registerCommands(context: vscode.ExtensionContext, session: Session, assembly: AssemblyPages, view: () => KernelTree | undefined): void {
  const register = (id: string, run: (...args: never[]) => unknown) => context.subscriptions.push(vscode.commands.registerCommand(id, run));
  for (const [command, ask] of Object.entries(serverCommands)) register(command, (given: Given) => run(session, assembly, command, ask, given));
  register('isadiff.switchNames', () => assembly.switchNames());
  register('isadiff.showOnlyChanged', () => view()?.showOnlyChanged(true));
  register('isadiff.showAll', () => view()?.showOnlyChanged(false));
  register('isadiff.filterKernels', () => view()?.askFilter());
  register('isadiff.clearFilter', () => view()?.filter(''));
  register('isadiff.nextRegression', () => view()?.step(1));
  register('isadiff.previousRegression', () => view()?.step(-1));
  register('isadiff.mend', (node: Node) => {
    if (node.kind === 'problem' && node.problem.command)
      return vscode.commands.executeCommand(node.problem.command.command, ...node.problem.command.arguments ?? []);
  });
  context.subscriptions.push(page.register());
  register('isadiff.restart', async () => {
    await session.restart();
    if (session.state === 'running') void vscode.window.showInformationMessage(`The isadiff server was started again: ${session.server}`);
  });
  register('isadiff.serverStatus', () => showServerStatus(context, session));
  register('isadiff.showLog', () => session.log.show());
  register('isadiff.menu', () => showMenu(session));
  register('isadiff.copyEnvironment', copyEnvironment);
}

/** Runs a command of the server and shows its answer or its refusal, once. The answer goes back to the caller. */
async function run(session: Session, assembly: AssemblyPages, command: string, ask: Ask, given: Given): Promise<unknown> {
  try {
    const wasDown = session.state === 'missing' || session.state === 'failed';
    if (!await session.start()) {
      if (wasDown) session.tellWhyNot(); // else it was shown just now
      return undefined;
    }
    const argument = argumentOf(given);
    argument.folder ??= await chooseFolder(session);
    if (argument.folder === undefined) return undefined;
    if (argument.folder === '') delete argument.folder;
    const whole = await ask(session, argument);
    if (!whole || !await isMeant(command, given)) return undefined;
    if (command === 'isadiff.assembly') return await assembly.open(whole);
    if (command === 'isadiff.compareAssembly') return await assembly.compare(whole);
    const answer = await session.execute<Answer | Sheet | null>(command, whole);
    if (answer && 'lines' in answer) {
      page.show(answer);
      return answer;
    }
    if (command === 'isadiff.explain' && answer?.code && answer.text) await explanation.show(answer.code, answer.text);
    else if (answer?.message) tell(answer, answer.message, command);
    return answer;
  } catch (error) {
    refuse(session, command, (error as Error).message, given);
    return undefined;
  }
}

/** Asks before a row of the view hides growth by updating the baseline. */
async function isMeant(command: string, given: Given): Promise<boolean> {
  if (command !== 'isadiff.acceptKernel' || !given || !('kind' in given) || given.kind !== 'kernel' || given.kernel.status !== 'worse') return true;
  const yes = 'Update the Baseline';
  const detail = `${given.kernel.label}. Later compiles are compared with these figures.`;
  return await vscode.window.showWarningMessage(`${given.kernel.name} got worse. Update its baseline all the same?`, { modal: true, detail }, yes) === yes;
}

function argumentOf(given: Given): Argument {
  if (!given || !('kind' in given)) return { ...given };
  switch (given.kind) {
    case 'kernel': return { folder: given.folder, kernel: given.kernel.key, code: given.kernel.problems?.[0]?.code };
    case 'problem': return { folder: given.folder, kernel: given.kernel.key, code: given.problem.code };
    case 'folder': case 'file': return { folder: given.folder };
    default: return {};
  }
}

function tell({ problems, log }: Answer, message: string, command: string): void {
  if (problems?.length) {
    const output = log ? ['Show Output'] : [];
    void vscode.window.showWarningMessage(message, ...output).then(async choice => {
      if (choice && log) await vscode.window.showTextDocument(asUri(log));
    });
    return;
  }
  const undo = command === 'isadiff.snapshotBaseline' || command === 'isadiff.acceptKernel' ? ['Undo'] : [];
  void vscode.window.showInformationMessage(message, ...undo).then(choice => choice && vscode.commands.executeCommand('isadiff.undoBaseline'));
}

/** A URI or a path as a URI. */
function asUri(file: string): vscode.Uri {
  return file.startsWith('file:') ? vscode.Uri.parse(file) : vscode.Uri.file(file);
}

function refuse(session: Session, command: string, message: string, given: Given): void {
  session.log.warn(`${command}: ${message}`);
  const force = command === 'isadiff.snapshotBaseline' && !argumentOf(given).force ? ['Take It Anyway'] : [];
  void vscode.window.showWarningMessage(message, ...force).then(choice =>
    choice && vscode.commands.executeCommand(command, { ...argumentOf(given), force: true }));
}

function chooseKernel(placeHolder: string, fits: (kernel: Kernel) => boolean): Ask {
  return async (session, argument) => {
    if (argument.kernel) return argument;
    const { kernels } = await session.execute<Kernels>('isadiff.kernels', argument);
    const picks = (kernels ?? []).filter(fits).map(kernel => ({ label: kernel.name, description: kernel.summary, detail: kernel.key, kernel }));
    if (picks.length === 0) {
      void vscode.window.showInformationMessage('There is no such kernel.');
      return undefined;
    }
    picks.sort((a, b) => Number(isAtCursor(b.kernel)) - Number(isAtCursor(a.kernel)));
    const pick = await vscode.window.showQuickPick(picks, { title: 'isadiff', placeHolder, matchOnDescription: true, matchOnDetail: true });
    return pick && { ...argument, kernel: pick.kernel.key };
  };
}

function isAtCursor({ definition }: Kernel): boolean {
  const editor = vscode.window.activeTextEditor;
  if (!editor || !definition || vscode.Uri.parse(definition.uri).fsPath !== editor.document.uri.fsPath) return false;
  const line = editor.selection.active.line;
  return line >= definition.range.start.line && line <= definition.range.end.line;
}

async function chooseCode(session: Session, argument: Argument): Promise<Argument | undefined> {
  if (argument.code) return argument;
  const { kernels } = await session.execute<Kernels>('isadiff.kernels', argument);
  const present = new Map((kernels ?? []).flatMap(k => k.problems ?? []).map(p => [p.code, p.message]));
  const { topics } = await session.execute<Answer>('isadiff.explain', { folder: argument.folder });
  const picks = [...[...present].map(([label, description]) => ({ label, description })),
    ...(topics ?? []).filter(t => !present.has(t.name)).map(t => ({ label: t.name, description: t.title }))];
  const pick = await vscode.window.showQuickPick(picks, { title: 'isadiff', placeHolder: 'Which problem, metric or word?', matchOnDescription: true });
  return pick && { ...argument, code: pick.label };
}

/** Opens what a report of a fault needs, as text that can be read before it is sent. */
async function showServerStatus(context: vscode.ExtensionContext, session: Session): Promise<void> {
  const about = {
    extension: context.extension.packageJSON.version, editor: `${vscode.env.appName} ${vscode.version}`, host: vscode.env.remoteName ?? 'this machine',
    platform: `${process.platform} ${process.arch}`, trusted: vscode.workspace.isTrusted, server: session.server, state: session.state, reason: session.reason || undefined,
    folders: [...session.statuses.values()], settings: (vscode.workspace.workspaceFolders ?? []).map(f => ({ folder: f.name, ...settingsFor(context, f.uri) })),
  };
  const document = await vscode.workspace.openTextDocument({ language: 'json', content: JSON.stringify(about, null, 2) + '\n' });
  await vscode.window.showTextDocument(document);
}

/** What is accepted needs a reason, for whoever reviews the file that it is written to. */
async function acceptWithReason(session: Session, argument: Argument): Promise<Argument | undefined> {
  const whole = await chooseKernel('Which kernel\'s growth is accepted?', kernel => kernel.status === 'worse')(session, argument);
  if (!whole) return undefined;
  const reason = whole.reason ?? await vscode.window.showInputBox({ title: 'isadiff', prompt: 'Why is the growth accepted? The reason goes into the file of accepted regressions.' });
  return reason === undefined ? undefined : { ...whole, reason };
}

async function chooseRevision(_: Session, argument: Argument): Promise<Argument | undefined> {
  const rev = argument.rev ?? await vscode.window.showInputBox({ title: 'isadiff', prompt: 'The git revision to compare with', value: 'HEAD' });
  return rev ? { ...argument, rev } : undefined;
}

async function copyEnvironment(): Promise<void> {
  const assign = process.platform === 'win32' ? (name: string, value: string) => `set ${name}=${value}` : (name: string, value: string) => `export ${name}=${value}`;
  await vscode.env.clipboard.writeText([assign('FLYDSL_DUMP_IR', '1'), assign('FLYDSL_RUNTIME_ENABLE_CACHE', '0')].join('\n') + '\n');
  vscode.window.setStatusBarMessage('isadiff: the variables are on the clipboard', 5000);
}
