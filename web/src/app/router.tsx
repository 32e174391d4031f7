// Every view has an address, so that back, forward, reload and a shared link work.
import {
    createRootRoute,
    createRoute,
    createRouter,
    lazyRouteComponent,
} from "@tanstack/react-router";
import { Layout } from "@/app/layout";
import { NewChatPage } from "@/app/pages/new-chat-page";
import { NotFoundPage, FailedPage } from "@/app/pages/not-found-page";
import { ThreadRoutePage } from "@/app/pages/thread-route-page";
import { panelSearch } from "@/app/panel-search";
import { load } from "@/lib/load";

const root = createRootRoute({
    component: Layout,
    notFoundComponent: NotFoundPage,
    errorComponent: FailedPage,
});
const start = createRoute({ getParentRoute: () => root, path: "/", component: NewChatPage });
const ui = createRoute({ getParentRoute: () => root, path: "/ui", component: NewChatPage });
const thread = createRoute({
    getParentRoute: () => root,
    path: "/ui/t/$threadId",
    component: ThreadRoutePage,
    validateSearch: panelSearch,
});
const sessions = createRoute({
    getParentRoute: () => root,
    path: "/ui/sessions",
    component: lazyRouteComponent(
        load(() => import("@/app/pages/sessions-page")),
        "SessionsPage",
    ),
});
const session = createRoute({
    getParentRoute: () => root,
    path: "/ui/s/$sessionId",
    validateSearch: panelSearch,
    component: lazyRouteComponent(
        load(() => import("@/app/pages/session-page")),
        "SessionPage",
    ),
});
const jobs = createRoute({
    getParentRoute: () => root,
    path: "/ui/jobs",
    component: lazyRouteComponent(
        load(() => import("@/app/pages/jobs-page")),
        "JobsPage",
    ),
});
const job = createRoute({
    getParentRoute: () => root,
    path: "/ui/jobs/$jobId",
    component: lazyRouteComponent(
        load(() => import("@/app/pages/jobs-page")),
        "JobPage",
    ),
});
const server = createRoute({
    getParentRoute: () => root,
    path: "/ui/server",
    component: lazyRouteComponent(
        load(() => import("@/app/pages/server-page")),
        "ServerPage",
    ),
});
const keys = createRoute({
    getParentRoute: () => root,
    path: "/ui/keys",
    component: lazyRouteComponent(
        load(() => import("@/app/pages/keys-page")),
        "KeysPage",
    ),
});
const settings = createRoute({
    getParentRoute: () => root,
    path: "/ui/settings",
    component: lazyRouteComponent(
        load(() => import("@/app/pages/settings-page")),
        "SettingsPage",
    ),
});

export const router = createRouter({
    routeTree: root.addChildren([
        start,
        ui,
        thread,
        sessions,
        session,
        jobs,
        job,
        server,
        keys,
        settings,
    ]),
    defaultPreload: "intent",
});

declare module "@tanstack/react-router" {
    interface Register {
        router: typeof router;
    }
}
