/** A real chromium, and people who use the console in it: each has a browser profile of their own. */
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Locator,
  type Page,
  type Request,
} from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, TestRunner } from 'vitest';
import { peer } from './peers.ts';
import { tokenOf } from './raw-http.ts';
import { type RunningService, startService } from './service.ts';

interface PersonOptions {
  readonly width?: number;
  readonly dark?: boolean;
  /** The time zone of the browser, like `Asia/Tokyo`. */
  readonly zoneId?: string;
  /** Looks at the same in every run: times are in UTC, written as in Britain, and it is this one. */
  readonly frozenAt?: Date;
  /** Looks at what stands where an answer is awaited; others do nothing until all answers are there. */
  readonly looksAtWaits?: boolean;
  /** For tests that put scripts of their own into the page. */
  readonly bypassCSP?: boolean;
}

/** Milliseconds, more than the page waits for more to be typed. */
const longerThanRestMs = 600;

export class Person {
  readonly page: Page;
  /** What the browser said against the page: broken rules of its policy, and errors of scripts. */
  readonly complaints: string[] = [];
  /** How often the browser asked before it left a page, and what it is told. */
  askedToStay = 0;
  stays = false;
  /** The origins that were asked for anything. */
  readonly origins = new Set<string>();
  readonly #context: BrowserContext;
  readonly #base: string;
  /** Requests of the page that have no answer yet, without those that watch for what happens. */
  readonly #underWay = new Set<Request>();

  constructor(context: BrowserContext, page: Page, base: string) {
    this.#context = context;
    this.#base = base;
    this.page = page;
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('dialog', (dialog) => {
      if (dialog.type() !== 'beforeunload') {
        this.complaints.push(`dialog: ${dialog.message()}`);
        return;
      }
      this.askedToStay++;
      void (this.stays ? dialog.dismiss() : dialog.accept());
    });
    page.on('console', (message) => {
      // That an answer was 4xx is said of every refusal.
      const isRejection = message.text().startsWith('Failed to load resource');
      if (message.type() === 'error' && !isRejection) this.complaints.push(message.text());
    });
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.protocol !== 'data:') this.origins.add(url.origin);
      const isWatch = url.pathname.endsWith('/events/stream') || url.searchParams.has('wait');
      if (!isWatch) this.#underWay.add(request);
    });
    page.on('requestfinished', (request) => this.#underWay.delete(request));
    page.on('requestfailed', (request) => this.#underWay.delete(request));
  }

  /** Presses keys, with a space between, right after each other: the second one of a command has to come soon. */
  async press(keys: string): Promise<void> {
    await Promise.all(keys.split(' ').map((key) => this.page.keyboard.press(key)));
  }

  /**
   * Waits until all that is on the screen is there. A screen whose first part is has others that move what stands below
   * them as they come, and a click on what moves is lost.
   */
  async settled(): Promise<void> {
    await this.page.locator('main [aria-busy="false"]').first().waitFor();
    await expect.poll(() => this.page.locator('[aria-busy="true"]').count()).toBe(0);
  }

  /** Waits until the page has the answer to all that it asked for, has drawn it, and asks for nothing more. */
  async atRest(): Promise<void> {
    let turns = 0;
    // A timer of the page: what it asks for once nothing more is typed has been asked for when this one ends.
    const turn = async () => {
      await this.page.evaluate(`new Promise((done) => setTimeout(done, ${longerThanRestMs}))`);
      turns = this.#underWay.size === 0 ? turns + 1 : 0;
      return turns >= 2
        ? []
        : [`${turns} quiet turns`, ...[...this.#underWay].map((request) => request.url())];
    };
    await expect.poll(turn).toEqual([]);
  }

  /** Opens an address below /console. */
  async open(path = ''): Promise<void> {
    await this.page.goto(`${this.#base}/console${path}`);
  }

  /** Opens the console as one who has logged in: the page is made once, where the form makes it twice. */
  async logIn(token: string, path = ''): Promise<void> {
    const answer = await this.#context.request.post(`${this.#base}/session`, { data: { token } });
    expect(answer.status()).toBe(201);
    await this.open(path);
    await this.page.getByRole('button', { name: 'Log out' }).waitFor();
  }

  /** Opens the console and logs in by its form. */
  async logInByForm(token: string, path = ''): Promise<void> {
    await this.open(path);
    await this.page.getByLabel('Token').fill(token);
    await this.page.getByRole('button', { name: 'Log in' }).click();
    await this.page.getByRole('button', { name: 'Log out' }).waitFor();
  }

  cookies() {
    return this.#context.cookies(this.#base);
  }

  /** Another page of the same browser. */
  async otherTab(path = ''): Promise<Page> {
    const page = await this.#context.newPage();
    await page.goto(`${this.#base}/console${path}`);
    return page;
  }

  /** A page with nothing in it. */
  blankPage(): Promise<Page> {
    return this.#context.newPage();
  }

  /** What scripts of the page could read of what was kept. */
  stored(): Promise<string> {
    return this.page.evaluate(() => {
      const { localStorage, sessionStorage, document } = globalThis as unknown as {
        localStorage: object;
        sessionStorage: object;
        document: { cookie: string };
      };
      return JSON.stringify([localStorage, sessionStorage, document.cookie]);
    });
  }
}

/** One of each kind serves all files of a process, and ends with it: to start one takes as long as some tests. */
const launched = new Map<string, Promise<Browser>>();

function launch(executablePath: string): Promise<Browser> {
  const args = ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'];
  const before = launched.get(executablePath);
  if (before !== undefined) return before;
  const starting = chromium.launch({ executablePath, args });
  launched.set(executablePath, starting);
  // One that has ended serves nobody any more.
  const forget = () => launched.delete(executablePath);
  starting.then((browser) => browser.once('disconnected', forget), forget);
  return starting;
}

/** Has a page get the metrics of the service with changes: what they say only after a long time. */
export async function changeMetrics(
  { page }: Person,
  change: (text: string) => string,
): Promise<void> {
  await page.route(/\/metrics$/, async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, body: change(await answer.text()) });
  });
}

/** Presses a button until this is said: who is asked once may answer too late. */
export async function pressUntil(
  button: Locator,
  said: Locator,
  press: () => Promise<void> = () => button.click(),
): Promise<void> {
  await expect
    .poll(async () => {
      await expect.poll(() => button.isEnabled()).toBe(true);
      const count = await said.count();
      if (count === 0) await press();
      return count;
    })
    .toBe(1);
}

/** A text that was copied is said to be so for four seconds; in this page for ever. */
export async function keepCopied({ page }: Person): Promise<void> {
  await page.addInitScript(`{
    const wait = window.setTimeout;
    window.setTimeout = (run, ms, ...rest) => (ms === 4000 ? 0 : wait(run, ms, ...rest));
  }`);
}

/** Ends the engines, without which a process that is no run of tests can not end. */
export async function closeEngines(): Promise<void> {
  await Promise.all(Array.from(launched.values(), async (engine) => (await engine).close()));
}

export class ConsoleBrowser {
  readonly #browser: Browser;
  readonly #base: string;
  readonly #contexts = new Set<BrowserContext>();

  private constructor(browser: Browser, base: string) {
    this.#browser = browser;
    this.#base = base;
  }

  /** The engine without windows takes half of the processor time, and has no clipboard. */
  static async launch(apiPort: number, { needsClipboard = false } = {}): Promise<ConsoleBrowser> {
    const shell = needsClipboard ? undefined : peer('chromium-headless-shell');
    const browser = await launch(shell ?? peer('chromium')!);
    return new ConsoleBrowser(browser, `http://127.0.0.1:${apiPort}`);
  }

  /** One who comes in a test leaves as it ends; any other stays until the browser is given back. */
  async person({
    width = 1360,
    dark = false,
    bypassCSP = false,
    looksAtWaits = false,
    frozenAt,
    zoneId,
  }: PersonOptions = {}) {
    const context = await this.#browser.newContext({
      viewport: { width, height: 900 },
      colorScheme: dark ? 'dark' : 'light',
      bypassCSP,
      ...(zoneId !== undefined && { timezoneId: zoneId }),
      ...(frozenAt && { locale: 'en-GB', timezoneId: 'UTC', reducedMotion: 'reduce' }),
    });
    this.#contexts.add(context);
    // An open page asks for, and draws, all that happens in the tests that follow.
    if (TestRunner.getCurrentTest()) onTestFinished(() => this.#close(context));
    context.setDefaultTimeout(120_000);
    const page = await context.newPage();
    if (frozenAt) await page.clock.setFixedTime(frozenAt);
    if (!looksAtWaits) {
      // Parts that come move those below them, and a click on what moves is lost. Cells, which are spans, do not; those
      // below the screen are awaited until somebody scrolls.
      const awaited = page.locator('main div[aria-busy="true"]').first();
      await page.addLocatorHandler(awaited, async () => {});
    }
    return new Person(context, page, this.#base);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(Array.from(this.#contexts, (context) => this.#close(context)));
  }

  async #close(context: BrowserContext): Promise<void> {
    this.#contexts.delete(context);
    // A page asks on until it closes; what then becomes of a request that a test answers is nobody's failure.
    await Promise.all(context.pages().map((page) => page.unrouteAll({ behavior: 'ignoreErrors' })));
    await context.close();
  }
}

/** What tests of the console have: a service that needs tokens, a browser, and a token with all rights. */
interface StartedConsole {
  readonly service: RunningService;
  readonly browser: ConsoleBrowser;
  /** Of alice. */
  readonly token: string;
}

/**
 * Starts them before the tests of a suite, which takes them by `ready`, and ends them afterwards. `settings` are
 * further variables of the environment of the service.
 */
export function beforeConsole(
  ready: (started: StartedConsole) => void | Promise<void>,
  settings: Readonly<Record<string, string>> = {},
  needs: { readonly needsClipboard?: boolean } = {},
): void {
  let service: RunningService | undefined;
  let browser: ConsoleBrowser | undefined;
  beforeAll(async () => {
    const env = { ...settings, ZONEBOOK_API_AUTHENTICATION_REQUIRED: 'true' };
    service = await startService(env);
    browser = await ConsoleBrowser.launch(service.apiPort, needs);
    await ready({ service, browser, token: await tokenOf(service, 'alice') });
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await service?.[Symbol.asyncDispose]();
  });
}
