// The script inside the panel: shows messages of the extension and sends the requests of the user.
import type { Asked, PanelNews, PanelWish } from '../protocol';
import { at, clicked, put } from './dom';
import { cursorOf, growthWords } from './growth';
import { layoutOf } from './scale';
import { spokenTurn, turnCard } from './turn';
import { viewOf, type View } from './view';

/** What is remembered while the panel is hidden, and over a restart of VS Code. */
interface Memory {
  readonly asked: Asked;
  readonly session: string;
  /** The turn that is chosen, by its number; 0 is the newest, whichever that is. */
  readonly turn: number;
  readonly scrolled: number;
}

declare function acquireVsCodeApi(): {
  postMessage(wish: PanelWish): void;
  getState(): Memory | undefined;
  setState(memory: Memory): void;
};

const code = acquireVsCodeApi();
let memory: Memory = code.getState() ?? { asked: { session: '', folder: '' }, session: '', turn: 0, scrolled: 0 };
let news: PanelNews | undefined;
let unscrolled = true;

const chart = at('growth');

function remember(change: Partial<Memory>): void {
  memory = { ...memory, ...change };
  code.setState(memory);
}

/** Returns the chosen turn, by its index; the newest unless one is. */
function chosen(): number {
  const turns = news?.kind === 'context' ? news.context.turns : [];
  const index = memory.turn === 0 ? -1 : turns.findIndex((turn) => turn.turn === memory.turn);
  return index < 0 ? turns.length - 1 : index;
}

/** Shows everything that is known. */
function show(): void {
  if (news === undefined) {
    return;
  }
  const width = Math.floor(at('head').getBoundingClientRect().width);
  const view = viewOf(news, width, chosen());
  at('grown').hidden = view.growth === '';
  for (const id of ['head', 'window', 'growth', 'keys', 'sources', 'sent', 'words'] satisfies (keyof View)[]) {
    put(id, view[id]);
  }
  point();
  if (unscrolled) {
    unscrolled = false;
    scrollTo({ top: memory.scrolled });
  }
}

/** Shows which turn is chosen. */
function point(): void {
  if (news?.kind !== 'context' || news.context.turns.length === 0) {
    put('turn', '');
    return;
  }
  const { context } = news;
  const index = chosen();
  put('turn', turnCard(context, index));
  const cursor = document.getElementById('cursor');
  if (cursor !== null) {
    cursor.innerHTML = cursorOf(context, layoutWidth(), index);
  }
  chart.ariaDescription = growthWords(context);
  chart.ariaValueMax = String(context.turns.length);
  chart.ariaValueNow = String(index + 1);
  chart.ariaValueText = spokenTurn(context, index);
}

function layoutWidth(): number {
  return chart.querySelector('svg')?.width.baseVal.value ?? 0;
}

/** Chooses a turn by its index; the newest stays the newest when more come. */
function choose(index: number): void {
  if (news?.kind === 'context') {
    const { turns } = news.context;
    const within = Math.max(0, Math.min(turns.length - 1, index));
    remember({ turn: within === turns.length - 1 ? 0 : (turns[within]?.turn ?? 0) });
    point();
  }
}

const steps: Readonly<Record<string, (index: number) => number>> = {
  ArrowLeft: (index) => index - 1,
  ArrowDown: (index) => index - 1,
  ArrowRight: (index) => index + 1,
  ArrowUp: (index) => index + 1,
  PageUp: (index) => index - 10,
  PageDown: (index) => index + 10,
  Home: () => 0,
  End: () => Number.MAX_SAFE_INTEGER,
  Escape: () => Number.MAX_SAFE_INTEGER,
};

chart.addEventListener('keydown', (event) => {
  const step = steps[event.key];
  if (step !== undefined) {
    event.preventDefault();
    choose(step(chosen()));
  }
});

for (const kind of ['pointermove', 'pointerdown'] as const) {
  chart.addEventListener(kind, (event) => {
    if (news?.kind === 'context') {
      choose(layoutOf(news.context, layoutWidth()).turnAt(event.clientX - chart.getBoundingClientRect().left));
    }
  });
}

/** What buttons ask for, by their data. */
const wishes = ['log', 'resume', 'handoff', 'compact', 'size', 'past', 'folder'] as const;

document.addEventListener('click', (event) => {
  const wanted = clicked(event);
  if (wanted?.['summary'] !== undefined) {
    code.postMessage({ kind: 'summary', id: wanted['summary'] });
  } else if (wanted?.['file'] !== undefined) {
    code.postMessage({ kind: 'file', uri: wanted['file'] });
  } else if (wanted?.['forget'] !== undefined) {
    code.postMessage({ kind: 'forget', file: wanted['forget'] });
  } else {
    const wish = wishes.find((kind) => kind === wanted?.['wish']);
    if (wish !== undefined) {
      code.postMessage({ kind: wish });
    }
  }
});

addEventListener('message', (event: MessageEvent<PanelNews>) => {
  news = event.data;
  if (news.kind === 'context') {
    const { asked, context: { session } } = news;
    remember(session === memory.session ? { asked } : { asked, session, turn: 0 });
  }
  show();
});

addEventListener('scroll', () => remember({ scrolled: scrollY }), { passive: true });
new ResizeObserver(show).observe(at('head'));
code.postMessage({ kind: 'ready' });
